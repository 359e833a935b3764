/** Lists the catalogs that are written from price sources. A new vendor is a file and a line here. */
import type { Vendor } from './vendor.ts';
import { ANTHROPIC } from './vendors/anthropic.ts';
import { BEDROCK } from './vendors/bedrock.ts';
import { COHERE } from './vendors/cohere.ts';
import { COMPATIBLE } from './vendors/compatible.ts';
import { GOOGLE, GOOGLE_VERTEX } from './vendors/google.ts';
import { JINA, VOYAGE } from './vendors/jina.ts';
import { OPENAI } from './vendors/openai.ts';
import { REPLICATE } from './vendors/replicate.ts';

/** A catalog: the folder of the adapter in `providers/`, and the vendors that it reaches. */
export interface Catalog {
  folder: string;
  vendors: Vendor[];
}

export const CATALOGS: Catalog[] = [
  { folder: 'anthropic', vendors: [ANTHROPIC] },
  { folder: 'bedrock', vendors: [BEDROCK] },
  { folder: 'cohere', vendors: [COHERE] },
  { folder: 'google', vendors: [GOOGLE, GOOGLE_VERTEX] },
  { folder: 'jina', vendors: [JINA, VOYAGE] },
  { folder: 'openai', vendors: [OPENAI] },
  { folder: 'openai-compatible', vendors: COMPATIBLE },
  { folder: 'replicate', vendors: [REPLICATE] },
];
