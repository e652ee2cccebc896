(async () => {
  const packed = Uint8Array.from(atob(PACKED), (character) => character.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  const data = JSON.parse(await new Response(stream).text());
  for (const name of Object.keys(data)) {
    d(name, btoa(data[name]));
  }
  window.allureReportDataReady = true;
})();
