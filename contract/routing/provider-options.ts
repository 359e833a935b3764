/** Validates the parameters that callers pass to single providers. */
import { z } from 'zod';
import { jsonRecord } from '../json-record.ts';
import { orNull } from '../or-null.ts';
import { text } from '../text.ts';

type Options = Record<string, Record<string, unknown>>;

/** Parameters for single providers, by their slugs. A null value equals no parameters. */
export const providerOptions = orNull(
  z
    .record(text({ min: 1, max: 64 }), jsonRecord().nullable())
    .transform(
      (options) => Object.fromEntries(Object.entries(options).filter(([, own]) => own !== null)) as Options,
    ),
).meta({ description: 'Vendor parameters by provider slug. A provider receives only its own.' });
