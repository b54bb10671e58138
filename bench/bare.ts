// The smallest proxy on this runtime: reads the body, forwards it, and returns the response. Runs as a separate process.

const [, , port, upstream] = process.argv

Bun.serve({
  port: Number(port),
  hostname: '127.0.0.1',
  idleTimeout: 255,
  async fetch(request) {
    const body = await request.arrayBuffer()
    const response = await fetch(`${upstream}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: 'Bearer upstream' },
      body,
    })
    return new Response(response.body, { headers: { 'content-type': response.headers.get('content-type') ?? '' } })
  },
})
console.log('ready')
