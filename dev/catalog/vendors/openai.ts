/** Lists OpenAI's models. */
import type { Vendor } from '../vendor.ts';
import { CHAT_ENDPOINTS, CHAT_MODELS } from './openai-chat.ts';
import { MEDIA_ENDPOINTS, MEDIA_MODELS } from './openai-media.ts';

export const OPENAI: Vendor = {
  name: 'openai',
  provider: {
    slug: 'openai',
    name: 'OpenAI',
    adapter: 'openai',
    baseUrl: 'https://api.openai.com/v1',
    privacyPolicyUrl: 'https://openai.com/policies/privacy-policy/',
    termsOfServiceUrl: 'https://openai.com/policies/services-agreement/',
    statusPageUrl: 'https://status.openai.com/',
    headquarters: 'US',
  },
  models: [...CHAT_MODELS, ...MEDIA_MODELS],
  endpoints: [...CHAT_ENDPOINTS, ...MEDIA_ENDPOINTS],
};
