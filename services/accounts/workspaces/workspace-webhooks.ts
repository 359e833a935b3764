import type { Actor } from '../../../domain/principal.ts';
import type { OnceAnswer } from '../../idempotency/answer-once.ts';
import { rotateSecret, type RotateDeps, type RotateOptions } from './rotate-secret.ts';
import { tryCallback, type TryDeps, type TryOptions, type TryResult } from './try-callback.ts';

export type WorkspaceWebhooksDeps = RotateDeps & TryDeps;

/** Manages how a workspace receives webhooks: its signing secret and its callback URL. */
export interface WorkspaceWebhooks {
  /** See `rotateSecret`. */
  rotateSecret(actor: Actor, workspace: string, options: RotateOptions): Promise<OnceAnswer>;
  /** See `tryCallback`. */
  tryCallback(organizationId: string, workspace: string, options: TryOptions): Promise<TryResult>;
}

export function createWorkspaceWebhooks(deps: WorkspaceWebhooksDeps): WorkspaceWebhooks {
  return {
    rotateSecret: (actor, workspace, options) => rotateSecret(deps, actor, workspace, options),
    tryCallback: (organizationId, workspace, options) =>
      tryCallback(deps, organizationId, workspace, options),
  };
}
