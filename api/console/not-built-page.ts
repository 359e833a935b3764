/** Holds the page that stands in for a console which was not built. */
export const notBuiltPage = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <title>Sluice</title>
  </head>
  <body>
    <main>
      <h1>The console is not built</h1>
      <p>This gateway runs, but the files of its console are missing. This command builds them:</p>
      <pre>npm run build --workspace=console</pre>
      <p>Then load this page again. The <a href="/docs">API reference</a> works without the console.</p>
    </main>
  </body>
</html>
`;
