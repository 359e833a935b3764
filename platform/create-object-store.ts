/** Chooses between a directory and an S3 bucket for stored media. */
import { createFileObjectStore } from './file-object-store.ts';
import type { ObjectStore, ObjectStoreConfig } from './object-store.ts';

/** Creates the configured store. The S3 client is loaded only if used: it takes tens of megabytes. */
export async function createObjectStore(config: ObjectStoreConfig): Promise<ObjectStore> {
  if (config.kind === 'file') return createFileObjectStore(config.directory);
  const { createS3ObjectStore } = await import('./s3-object-store.ts');
  return createS3ObjectStore(config);
}
