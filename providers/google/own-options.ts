/** Reads a caller's options for Gemini's pictures and speech. */
import { type Fields, isFields, withoutUndefined } from '../../domain/fields.ts';
import { hasContent, UnsupportedFields } from '../../domain/unsupported-fields.ts';

/** The options that pass. Tiers, tools and others have prices of their own, and media are billed by their tokens. */
const OPTIONS = new Set(['safetySettings', 'generationConfig']);
/** The fields of `generationConfig` that pass. */
const CONFIG = ['temperature', 'topP', 'topK', 'seed', 'maxOutputTokens'];

/**
 * Returns the options that pass, with `more` fields of `generationConfig`. Throws UnsupportedFieldsError that names all
 * others.
 */
export function ownOptions(
  options: Fields = {},
  slug: string,
  more: string[] = [],
): { config: Fields; rest: Fields } {
  const known = new Set([...CONFIG, ...more]);
  const { generationConfig: given, safetySettings } = options;
  const config = isFields(given) ? given : {};
  const unsupported = new UnsupportedFields();
  const path = `body.provider.options.${slug}`;
  unsupported.addOthers(options, path, OPTIONS);
  if (config !== given && hasContent(given)) unsupported.add(`${path}.generationConfig`);
  unsupported.addOthers(config, `${path}.generationConfig`, known);
  unsupported.throwIfAny();
  const passed = Object.entries(config).filter(([name]) => known.has(name));
  return { config: Object.fromEntries(passed), rest: withoutUndefined({ safetySettings }) };
}
