/** Lists the vendors whose catalogs are written from price sources. A new vendor is a file and a line here. */
import type { Vendor } from './vendor.ts';
import { ANTHROPIC } from './vendors/anthropic.ts';
import { COHERE } from './vendors/cohere.ts';
import { OPENAI } from './vendors/openai.ts';
import { REPLICATE } from './vendors/replicate.ts';

export const VENDORS: Vendor[] = [ANTHROPIC, COHERE, OPENAI, REPLICATE];
