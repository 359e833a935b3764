import type { PresetWithVersionRecord } from '../../contract/presets/preset.ts';
import type { PresetDraft } from '../../domain/presets/preset.ts';
import { presentPresetWithVersion } from './present-preset.ts';
import type { Api, AnyCall } from '../http/route.ts';
import type { Principal } from '../../domain/principal.ts';

type SaveCall = Pick<AnyCall, 'client' | 'idempotency'> & { principal: Principal; params: { slug: string } };

/** Creates a preset or its next version from a draft of any dialect. */
export async function savePreset(
  { principal, client, params, idempotency }: SaveCall,
  { services }: Api,
  operation: string,
  draft: PresetDraft,
) {
  const result = await services.presets.save({ principal, client }, params.slug, draft, {
    operation,
    ...(idempotency === undefined ? {} : { idempotency }),
    respond: (preset) => ({ status: 200, body: { data: presentPresetWithVersion(preset) } }),
  });
  return {
    status: 200 as const,
    ...(result.replayed ? { headers: { 'idempotent-replayed': 'true' } } : {}),
    // `respond` built this body now, or for the first request with the same idempotency key.
    body: result.body as { data: PresetWithVersionRecord },
  };
}
