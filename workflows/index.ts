/** Exports every workflow to the bundle that the workers load. */

export { deliverBroadcast } from './deliver-broadcast.ts';
export { deliverWebhook } from './deliver-webhook.ts';
export { generateVideo } from './generate-video.ts';
export { keepSweeping } from './keep-sweeping.ts';
export {
  applyRetention,
  closeRankings,
  expireBodies,
  expireOutputs,
  forgetAnswers,
  keepPartitions,
} from './maintenance.ts';
export { syncDirectory } from './sync-directory.ts';
export { validatePrivateEndpoint } from './validate-private-endpoint.ts';
