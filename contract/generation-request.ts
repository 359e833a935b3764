import { z } from 'zod';
import { providerPreferences } from './provider-preferences.ts';
import { endUser, sessionId, trace } from './request-metadata.ts';
import { text } from './text.ts';

/** A model's id, an alias, or a reference to a preset. */
export const modelName = text({ min: 1, max: 256 });

/** Fields of the gateway itself, on every text operation. None of them reaches a provider. */
export const gatewayFields = {
  provider: providerPreferences.nullable().optional(),
  session_id: sessionId
    .optional()
    .nullable()
    .meta({ description: 'Groups requests. Wins over the `x-session-id` header.' }),
  user: endUser.nullable().optional(),
  trace: trace.nullable().optional(),
};

/** Named as clients of this API shape name them; which of them this deployment runs is for the service to say. */
export const plugins = z
  .array(z.looseObject({ id: text({ min: 1, max: 64 }), enabled: z.boolean().optional() }))
  .max(50);
