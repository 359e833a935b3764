/** Reads a caller's options for Gemini's pictures and speech. */
import { type Fields, isFields, withoutUndefined } from '../../domain/fields.ts';
import { hasContent, UnsupportedFields } from '../../domain/unsupported-fields.ts';

/** The options that pass. Tiers, tools and others have prices of their own, and media are billed by their tokens. */
const OPTIONS = new Set(['safetySettings', 'generationConfig']);
/** The fields of `generationConfig` that pass. */
const CONFIG = new Set(['temperature', 'topP', 'topK', 'seed', 'maxOutputTokens', 'thinkingConfig']);

/** Returns the options that pass. Throws UnsupportedFieldsError that names all others. */
export function ownOptions(options: Fields = {}, slug: string): { config: Fields; rest: Fields } {
  const { generationConfig: given, safetySettings } = options;
  const config = isFields(given) ? given : {};
  const unsupported = new UnsupportedFields();
  const path = `body.provider.options.${slug}`;
  unsupported.addOthers(options, path, OPTIONS);
  if (config !== given && hasContent(given)) unsupported.add(`${path}.generationConfig`);
  unsupported.addOthers(config, `${path}.generationConfig`, CONFIG);
  unsupported.throwIfAny();
  const passed = Object.entries(config).filter(([name]) => CONFIG.has(name));
  return { config: Object.fromEntries(passed), rest: withoutUndefined({ safetySettings }) };
}
