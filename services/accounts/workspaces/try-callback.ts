/** Sends one test event to a callback URL, and returns the response. */
import { createFailingCallbackStore } from '../../../db/webhooks/failing-callback-store.ts';
import type { Handle } from '../../../db/postgres/connection.ts';
import { createWebhookSecretStore } from '../../../db/webhooks/webhook-secret-store.ts';
import { invalidRequest } from '../../../domain/errors.ts';
import { checkCallbackUrl } from './callback-url.ts';
import { findWorkspace } from './find-workspace.ts';
import { type SendDeps, sendEvent, type SendResult } from '../../webhooks/send-event.ts';

export interface TryDeps extends SendDeps {
  knex: Handle;
  /** Throws for a URL that will certainly be refused when it is called. */
  checkUrl(url: string): void;
}

export interface TryOptions {
  /** The request's id, which becomes a part of the `webhook-id`. */
  requestId: string;
  /** The URL; when absent, the default callback URL of the workspace. */
  url?: string;
  /** Renders the exact body to send. */
  render(workspaceId: string): string;
}

export type TryResult = SendResult & { url: string };

/**
 * Sends a test event to a callback URL once and returns the response. It records only that a URL works; the event is
 * neither in the outbox nor in the delivery log. Throws 404 for an unknown workspace, and 400 when there is no URL or
 * when it can never be called.
 */
export async function tryCallback(
  deps: TryDeps,
  organizationId: string,
  reference: string,
  { url: named, requestId, render }: TryOptions,
): Promise<TryResult> {
  checkCallbackUrl(deps.checkUrl, named, 'body.url');
  const { id, defaultCallbackUrl } = await findWorkspace(deps.knex, organizationId, reference);
  const url = named ?? defaultCallbackUrl;
  if (url === null) {
    throw invalidRequest({
      path: 'body.url',
      message: 'is needed: the workspace has no default_callback_url',
    });
  }
  const secrets = await createWebhookSecretStore(deps.knex).signing(id);
  const eventId = `${id}-test-${requestId}`;
  const result = await sendEvent(deps, { url, eventId, payload: render(id), secrets });
  if (result.outcome === 'delivered') await createFailingCallbackStore(deps.knex).forget(id, url);
  return { ...result, url };
}
