/** The encryption key of a store: reading it, deriving keys from it, sealing values and secrets with them. */
export {
  deriveKey,
  type EncryptionKey,
  generateEncryptionKey,
  InvalidEncryptionKey,
  isEncryptionKey,
  keyBytes,
  keyId,
  keyLabels,
  keyProblemCode,
  parseEncryptionKey
} from "./EncryptionKey.ts"
export { open, overhead, seal, type SecretKeyObject, type SealingKey, Unopened } from "./Seal.ts"
export {
  isWrapped,
  secretContexts,
  type SecretWrapper,
  unwrapWithout,
  UnreadableSecret,
  wrapper,
  wrappingKeyId
} from "./WrappedSecret.ts"
