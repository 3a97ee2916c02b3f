import { z } from "zod";

const secret = z.string().min(1);

/** The secret part. It lies in the system's keychain or, without one, in the file. */
export const keptSecretSchema = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("api-key"), apiKey: secret }),
  z.object({ kind: z.literal("session"), accessToken: secret, refreshToken: secret, canRenew: z.boolean() }),
]);

/** The part that is not secret. */
const keptFields = z.object({
  /** The server that issued the credential: it is never sent to another. */
  backendUrl: z.string(),
  /** How it was obtained, in words. */
  origin: z.string(),
  email: z.string().optional(),
  expiresMs: z.number().optional(),
  createdMs: z.number(),
});

const version = z.literal(1);

export const credentialFileSchema = z.discriminatedUnion("place", [
  keptFields.extend({ version, place: z.literal("file"), secret: keptSecretSchema }),
  keptFields.extend({ version, place: z.literal("keychain") }),
]);

export type KeptSecret = z.infer<typeof keptSecretSchema>;
export type CredentialFile = z.infer<typeof credentialFileSchema>;
export type KeptCredential = Readonly<z.infer<typeof keptFields> & { secret: KeptSecret }>;
