export { deliverWebhook } from './deliver-webhook.ts';
export { generateVideo } from './generate-video.ts';
export { expireOutputs, forgetAnswers, sweep } from './maintenance.ts';
