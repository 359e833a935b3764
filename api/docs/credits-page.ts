/** The default page for customers without credits. */
export const creditsPage = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>Adding credits</title>
  </head>
  <body>
    <main>
      <h1>Adding credits</h1>
      <p>Your organization has spent its credits. Ask the operator of this gateway to add some.</p>
      <p>An operator adds credits of 50 US dollars with this command:</p>
      <pre>npm run admin -- credits add --usd 50 --note "who paid, and how"</pre>
      <p><code>GET /api/v1/credits</code> with a management key shows what was bought and what is used.</p>
      <p>Operators with a page of their own name it in the setting <code>CREDITS_URL</code>.</p>
    </main>
  </body>
</html>
`;
