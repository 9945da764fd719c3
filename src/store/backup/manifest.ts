/** Name of the manifest, the last file of an archive. */
export const MANIFEST_NAME = "manifest.json";
/** Bytes a manifest may have. */
export const MAX_MANIFEST_BYTES: number = 64 * 1024;
/** The form of the archive itself. */
export const ARCHIVE_FORMAT = 1;

/** One file of an archive. */
export interface ManifestFile {
  readonly name: string;
  readonly bytes: number;
  /** Lower-case hex. */
  readonly sha256: string;
}

/** What an archive says of itself. */
export interface Manifest {
  readonly format: number;
  /** Version of the program that made it. */
  readonly version: string;
  readonly madeAtMs: number;
  /** Epoch and format of the database in it (SE-099). */
  readonly epoch: number;
  readonly schema: number;
  readonly withSecrets: boolean;
  /** In the order in which they stand in the archive. */
  readonly files: readonly ManifestFile[];
}

/** Read a manifest; null for what is none, or of another form. */
export function parseManifest(text: string): Manifest | null {
  const value = fieldsOf(parse(text));
  if (value === null || value["format"] !== ARCHIVE_FORMAT) return null;
  const { version, madeAtMs, epoch, schema, withSecrets, files } = value;
  if (typeof version !== "string" || !isCount(madeAtMs) || !isCount(epoch) || !isCount(schema) || typeof withSecrets !== "boolean")
    return null;
  const read = Array.isArray(files) ? files.map(readFile) : [null];
  const sound = read.filter((file) => file !== null);
  return sound.length === read.length ? { format: ARCHIVE_FORMAT, version, madeAtMs, epoch, schema, withSecrets, files: sound } : null;
}

function readFile(entry: unknown): ManifestFile | null {
  const fields = fieldsOf(entry);
  if (fields === null) return null;
  const { name, bytes, sha256 } = fields;
  return typeof name === "string" && isCount(bytes) && typeof sha256 === "string" ? { name, bytes, sha256 } : null;
}

function isCount(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
}

function fieldsOf(value: unknown): { readonly [name: string]: unknown } | null {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : null;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null; // What is no JSON is no manifest.
  }
}
