/**
 * Prints how many requests each model answered on each of the last 30 completed days, with the `@openrouter/sdk`
 * package. Needs a management key. The package drops the rows of `queryAnalytics`, so this reads the activity, which is
 * without today.
 */
import { OpenRouter } from '@openrouter/sdk';

const client = new OpenRouter({
  serverURL: process.env['BASE_URL'] ?? 'http://127.0.0.1:8080/api/v1',
  apiKey: process.env['MANAGEMENT_KEY'] ?? '',
});

const activity = await client.analytics.getUserActivity();
for (const row of activity.data) console.log(`${row.date} ${row.model}: ${row.requests}`);
