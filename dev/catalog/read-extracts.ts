/** Reads the extracts of public price data from which the catalogs are written. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { correctSource, CORRECTIONS } from '../../services/catalog/price-sources/corrections.ts';
import {
  type FindModel,
  indexModels,
  type SourceModel,
} from '../../services/catalog/price-sources/source-model.ts';
import { readPriceSource } from '../../services/catalog/price-sources/read-price-source.ts';
import { ROOT } from '../settings.ts';

/** The origin of an extract. */
export interface ExtractFacts {
  /** The registry and the package. */
  source: string;
  version: string;
  licence: string;
  /** The day on which the extract was made. Prices with a later date are conditions. */
  date: string;
  /** The file within the package, and its hash. */
  file: string;
  sha256: string;
  /** The hash of the extract's own data, so that nobody changes a price there. */
  dataSha256: string;
}

export interface Extract {
  facts: ExtractFacts;
  data: unknown;
  /** All models, with corrected prices. */
  models: SourceModel[];
  find: FindModel;
}

/** The sources in the order in which they decide; the later ones add what the earlier ones lack. */
export const EXTRACTS = ['genai-prices', 'litellm'] as const;

export type Extracts = Record<(typeof EXTRACTS)[number], Extract>;

/** Returns the path of an extract. */
export function extractFile(name: string): string {
  return path.join(ROOT, 'dev', 'catalog', 'extracts', `${name}.json`);
}

/** Returns the hash of the data of an extract. */
export function hashOf(data: unknown): string {
  return createHash('sha256').update(JSON.stringify(data)).digest('hex');
}

/** Reads all extracts. Throws if someone changed one, or if a correction corrects nothing any more. */
export function readExtracts(): Extracts {
  const unused = new Set(CORRECTIONS);
  const extracts = Object.fromEntries(
    EXTRACTS.map((name) => {
      const { data, ...facts } = JSON.parse(readFileSync(extractFile(name), 'utf8')) as ExtractFacts & {
        data: unknown;
      };
      if (hashOf(data) !== facts.dataSha256) throw new Error(`${extractFile(name)} was changed by hand`);
      const { source, used } = correctSource(readPriceSource(data, new Date(facts.date)));
      for (const correction of used) unused.delete(correction);
      return [name, { facts, data, models: source.models, find: indexModels(source.models) }];
    }),
  ) as Extracts;
  for (const { provider, models } of unused) {
    throw new Error(`the correction of ${provider}: ${models.join(', ')} changes nothing`);
  }
  return extracts;
}
