/** Declares the services on which live operations depend. */
import type { Workspace } from '../../domain/accounts/workspace.ts';
import type { Logger } from '../../platform/logger.ts';
import type { OutboundGuard } from '../../platform/outbound-guard.ts';
import type { OwnViews } from '../endpoints/own-views.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { BodyLog } from '../ledger/bodies/body-log.ts';
import type { AttemptMetrics } from '../routing/attempt-metrics.ts';
import type { GoneModels } from '../routing/gone-models.ts';
import type { EndpointHealthBoard } from '../routing/endpoint-health.ts';
import type { Catalog } from '../catalog/catalog.ts';
import type { SunsetNotices } from '../catalog/sunset-notices.ts';
import type { LiveProviders } from '../routing/live-providers.ts';
import type { PresetCache } from '../presets/preset-cache.ts';
import type { Spending } from '../ledger/spending/spending.ts';
import type { ShowError } from './body-draft.ts';
import type { NoteFlaggedBill } from './flagged-bills.ts';

/** The dependencies of every live operation. */
export interface LiveDeps {
  catalog: Pick<Catalog, 'findLiveModel' | 'findKnownModel' | 'knownModels' | 'providerName'>;
  providers: Pick<LiveProviders, 'of'>;
  /** Finds the private endpoints and own keys of the caller's workspace. */
  ownViews: Pick<OwnViews, 'of'>;
  /** Checks and fetches URLs that customers name. */
  outbound: Pick<OutboundGuard, 'checkUrl' | 'fetch'>;
  health: EndpointHealthBoard;
  sunsets: SunsetNotices;
  attempts: AttemptMetrics;
  goneModels: GoneModels;
  ledger: Ledger;
  spending: Spending;
  settingsOf(workspaceId: string): Workspace | Promise<Workspace>;
  presets: Pick<PresetCache, 'find'>;
  /** Returns the public part of an error, for use in an event of a stream. */
  showError: ShowError;
  /** Stores prompts and answers for workspaces that log or broadcast them. */
  bodies: Pick<BodyLog, 'keep' | 'keepContent'>;
  /**
   * The time after which a stream's headers are sent although no upstream has answered, and the interval of comments
   * after them.
   */
  earlyHeaders: { afterMs: number; commentEveryMs: number };
  noteFlaggedBill: NoteFlaggedBill;
  logger: Pick<Logger, 'error' | 'warn'>;
}
