import { z } from "zod";

const secret = z.string().min(1);

/** The part that opens the account. It lies in the system's keychain or, without one, in the file. */
export const keptSecretSchema = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("api-key"), apiKey: secret }),
  z.object({ kind: z.literal("session"), accessToken: secret, refreshToken: secret, canRenew: z.boolean() }),
]);

/** The part that may be told. */
const keptFields = z.object({
  /** The server that the credential is for: it is never sent to another. */
  backendUrl: z.string(),
  /** How it came here, in words. */
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
