/** Reads JSON and form bodies of requests to the local upstream. */
import type { IncomingMessage } from 'node:http';
import rawBody from 'raw-body';
import { UpstreamError } from './reply.ts';

export interface UploadedFile {
  name: string;
  contentType: string;
  bytes: Uint8Array;
}

/** A request body by field name: JSON values, form fields as strings, uploads as files. */
export interface Fields {
  values: Record<string, unknown>;
  files: Record<string, UploadedFile>;
}

const MAX_BYTES = 64 * 1024 * 1024;

/** Reads JSON and `multipart/form-data`; an absent body has no fields. Throws UpstreamError. */
export async function readFields(request: IncomingMessage, given?: Buffer): Promise<Fields> {
  const body = given ?? (await readBytes(request));
  const contentType = request.headers['content-type'] ?? '';
  if (body.length === 0) return { values: {}, files: {} };
  if (contentType.startsWith('multipart/form-data')) return readForm(body, contentType);
  if (contentType.startsWith('application/json')) return { values: readJson(body), files: {} };
  throw new UpstreamError(415, 'Send application/json or multipart/form-data.');
}

async function readBytes(request: IncomingMessage): Promise<Buffer> {
  try {
    return await rawBody(request, { limit: MAX_BYTES, length: request.headers['content-length'] ?? null });
  } catch (error) {
    const tooLarge = error instanceof Error && 'status' in error && error.status === 413;
    throw tooLarge ? new UpstreamError(413, 'The request is too large.') : error;
  }
}

function readJson(body: Buffer): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(body.toString('utf8'));
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value };
  } catch {
    // The error below covers both cases.
  }
  throw new UpstreamError(400, 'The body must be a JSON object.');
}

async function readForm(body: Buffer, contentType: string): Promise<Fields> {
  const fields: Fields = { values: {}, files: {} };
  const form = await new Response(new Uint8Array(body), { headers: { 'content-type': contentType } })
    .formData()
    .catch(() => {
      throw new UpstreamError(400, 'The form could not be read.');
    });
  for (const [name, value] of form) {
    if (typeof value === 'string') fields.values[name] = value;
    else {
      const bytes = new Uint8Array(await value.arrayBuffer());
      fields.files[name] = { name: value.name, contentType: value.type, bytes };
    }
  }
  return fields;
}
