/** Applies the preset that a live request names, in the dialect of the request. */
import { AppError } from '../../../domain/errors.ts';
import { parsePresetReference } from '../../../domain/presets/preset-merge.ts';
import type { PresetConfig } from '../../../domain/presets/preset.ts';
import type { LiveCall } from '../live-call.ts';
import type { LiveDeps } from '../live-deps.ts';
import type { RoutableBody } from '../../routing/routable-body.ts';
import type { CompletedCall } from './live-operation.ts';

/** Completes a request of one dialect by the fields of a preset. The request's own fields override them. */
export type MergePreset<Body> = (config: PresetConfig, systemPrompt: string | null, request: Body) => Body;

/** Returns the request completed by its preset, if it names one. Throws 404 for a preset that cannot be used. */
export async function completeByPreset<Body extends RoutableBody>(
  { presets }: Pick<LiveDeps, 'presets'>,
  call: LiveCall<Body>,
  mergePreset: MergePreset<Body>,
): Promise<CompletedCall<Body>> {
  const { body, principal } = call;
  const reference = parsePresetReference(body.model, body['preset']);
  if (reference === null) return { call, presetId: null };
  const preset = await presets.find(principal.workspaceId, reference.slug);
  if (preset === null) throw new AppError('not_found', { reason: 'preset_not_found' });
  const merged = mergePreset(preset.config, preset.systemPrompt, body);
  return { call: { ...call, body: merged }, presetId: preset.presetId };
}
