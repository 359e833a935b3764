import type { Actor } from '../../../domain/principal.ts';
import type { OnceAnswer, OnceOptions } from '../../answer-once.ts';
import { rotateSecret, type RotateDeps, type RotatedSecret } from './rotate-secret.ts';
import { tryCallback, type TryDeps, type TryOptions, type TryResult } from './try-callback.ts';

export type WorkspaceWebhooksDeps = RotateDeps & TryDeps;

/** Manages how a workspace receives webhooks: its signing secret and its callback URL. */
export function createWorkspaceWebhooks(deps: WorkspaceWebhooksDeps) {
  return {
    /** Rotates the webhook secret of a workspace; see `rotateSecret`. */
    rotateSecret: (actor: Actor, workspace: string, once: OnceOptions<RotatedSecret>): Promise<OnceAnswer> =>
      rotateSecret(deps, actor, workspace, once),
    /** Sends a test event to a callback URL; see `tryCallback`. */
    tryCallback: (organizationId: string, workspace: string, options: TryOptions): Promise<TryResult> =>
      tryCallback(deps, organizationId, workspace, options),
  };
}

export type WorkspaceWebhooks = ReturnType<typeof createWorkspaceWebhooks>;
