/** Maps each type of observability destination to the adapter that sends batches to it. */
import type { DestinationConfigs } from '../../../domain/broadcast/destination-config.ts';
import { clickhouse } from './clickhouse.ts';
import { datadog } from './datadog.ts';
import type { DestinationAdapter } from './destination-adapter.ts';
import { otlpTypes } from './otlp-types.ts';
import { posthog } from './posthog.ts';
import { ramp } from './ramp.ts';
import { s3 } from './s3.ts';
import { snowflake } from './snowflake.ts';
import { webhook } from './webhook.ts';

/** The adapter of each type of destination. */
export const destinationTypes: {
  [Type in keyof DestinationConfigs]: DestinationAdapter<DestinationConfigs[Type]>;
} = { ...otlpTypes, clickhouse, datadog, posthog, ramp, s3, snowflake, webhook };
