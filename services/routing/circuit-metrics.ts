import { LIVE_CAPABILITIES } from '../../domain/catalog/catalog.ts';
import type { Metrics } from '../../platform/metrics.ts';
import type { Catalog } from '../catalog/catalog.ts';
import type { EndpointHealthBoard } from './endpoint-health.ts';

/** Shows how many endpoints of each provider are skipped because their calls fail. */
export function meterCircuits(
  metrics: Metrics,
  health: Pick<EndpointHealthBoard, 'isOpen'>,
  catalog: Pick<Catalog, 'liveModels'>,
): void {
  metrics.gauge({
    name: 'sluice_circuits_open',
    help: 'Endpoints of the provider that are skipped because too many of their calls failed.',
    labels: ['provider'],
    aggregation: 'sum',
    read() {
      const open = new Map<string, number>();
      for (const capability of LIVE_CAPABILITIES)
        for (const { endpoints } of catalog.liveModels(capability))
          for (const { id, providerSlug } of endpoints)
            open.set(providerSlug, (open.get(providerSlug) ?? 0) + Number(health.isOpen(id)));
      return [...open].map(([provider, value]) => ({ labels: { provider }, value }));
    },
  });
}
