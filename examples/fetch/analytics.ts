/** Prints how many requests each model answered in the last 30 days. Needs a management key. */
const response = await fetch(`${process.env['BASE_URL'] ?? 'http://127.0.0.1:8080/api/v1'}/analytics/query`, {
  method: 'POST',
  headers: {
    authorization: `Bearer ${process.env['MANAGEMENT_KEY']}`,
    'content-type': 'application/json',
  },
  body: JSON.stringify({ metrics: ['request_count'], dimensions: ['model'] }),
});
const answer = (await response.json()) as {
  error: { message: string };
  data: { data: { model: string; request_count: number }[] };
};
if (!response.ok) throw new Error(answer.error.message);
for (const row of answer.data.data) console.log(`${row.model}: ${row.request_count}`);

export {};
