import { z } from "zod";

const Secret = z.string().min(1);

/** The secret part. It lies in the system's keychain or, without one, in the file. */
export const KeptSecret = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("api-key"), apiKey: Secret }),
  z.object({ kind: z.literal("session"), accessToken: Secret, refreshToken: Secret, canRenew: z.boolean() }),
]);

/** The part that is not secret. */
const KeptFields = z.object({
  /** The server that issued the credential: it is never sent to another. */
  backendUrl: z.string(),
  /** How it was obtained, in words. */
  origin: z.string(),
  email: z.string().optional(),
  expiresMs: z.number().optional(),
  createdMs: z.number(),
});

const Version = z.literal(1);

/** The file's format. `place` says where the secret is; the key stays, because files in use have it. */
export const CredentialFile = z.discriminatedUnion("place", [
  KeptFields.extend({ version: Version, place: z.literal("file"), secret: KeptSecret }),
  KeptFields.extend({ version: Version, place: z.literal("keychain") }),
]);

export type KeptSecret = z.infer<typeof KeptSecret>;
export type CredentialFile = z.infer<typeof CredentialFile>;
export type KeptCredential = Readonly<z.infer<typeof KeptFields> & { secret: KeptSecret }>;
