import { Webhook } from 'standardwebhooks';
import { UpstreamError } from '../../upstream/reply.ts';
import type { VendorStandIn } from './adapter-under-test.ts';
import { type Prediction, type PredictionStatus, presentPrediction } from './replicate-prediction.ts';
import { createPredictionRoutes } from './replicate-wire.ts';
import { startVideoCloud } from './video-cloud.ts';

export const WEBHOOK_SECRET = `whsec_${Buffer.from('a secret of the test vendor').toString('base64')}`;

/** A stand-in for Replicate's cloud, on its documented wire over real HTTP, with the local upstream's faults. */
export interface ReplicateUpstream extends VendorStandIn {
  /** Oldest first. */
  predictions(): Prediction[];
  /** Ends a prediction that stalls, and tells it as the vendor would. Undefined: nobody wanted to be told. */
  finish(id: string, status?: PredictionStatus): Promise<Response | undefined>;
  /** Sends the callback of a prediction as it is now, signed unless told otherwise. */
  sendCallback(id: string, options?: { to?: string; secret?: string }): Promise<Response>;
}

export async function startReplicateUpstream(): Promise<ReplicateUpstream> {
  const cloud = await startVideoCloud<Prediction>({
    basePath: '/v1',
    scheme: 'Bearer',
    missing: () => new UpstreamError(404, 'The requested resource could not be found.'),
    refusal: (status, { message }) => ({ title: 'Refused', detail: message, status }),
    routes: createPredictionRoutes,
  });

  const sendCallback: ReplicateUpstream['sendCallback'] = async (id, options = {}) => {
    const prediction = cloud.jobs.get(id)!;
    const { to = prediction.webhook, secret = WEBHOOK_SECRET } = options;
    if (to === undefined) throw new Error('nobody wanted to be told');
    const body = JSON.stringify(presentPrediction(prediction, cloud.url()));
    return fetch(to, { method: 'POST', headers: signed(secret, id, body), body });
  };

  return {
    ...cloud.standIn,
    predictions: () => [...cloud.jobs.values()],
    sendCallback,
    async finish(id, status = 'succeeded') {
      const prediction = cloud.jobs.get(id)!;
      prediction.ended = { status, atMs: Date.now() };
      const wanted = prediction.webhook !== undefined && prediction.webhookEvents.includes('completed');
      return wanted ? sendCallback(id) : undefined;
    },
  };
}

/** The headers of a callback, made by the reference implementation. */
export function signed(secret: string, id: string, body: string, at = new Date()): Record<string, string> {
  return {
    'content-type': 'application/json',
    'webhook-id': `msg_${id}`,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': new Webhook(secret).sign(`msg_${id}`, at, body),
  };
}
