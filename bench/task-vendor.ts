// A vendor of videos that never finishes one, and counts how often it is polled; it completes chats, too. Runs as a separate process.

export {}

const vendorPort = Number(process.argv[2])
let createRequests = 0
/** Questions of each second since the start. */
const pollsPerSecond: number[] = []
const startedMs = Date.now()

const chat = {
  id: 'chat_1',
  object: 'chat.completion',
  created: 1,
  model: 'gpt-4o-mini',
  choices: [{ index: 0, message: { role: 'assistant', content: 'A sluice is a gate for water. '.repeat(20) }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 200, completion_tokens: 160, total_tokens: 360 },
}

Bun.serve({
  port: vendorPort,
  hostname: '127.0.0.1',
  fetch(request) {
    if (request.url.endsWith('/chat/completions')) return Response.json(chat)
    if (request.method === 'POST') return Response.json({ id: `vid_${++createRequests}`, object: 'video', status: 'queued', progress: 0 })
    if (request.url.endsWith('/asked')) return Response.json(pollsPerSecond.map((count) => count ?? 0))
    const second = Math.floor((Date.now() - startedMs) / 1_000)
    for (let at = pollsPerSecond.length; at <= second; at += 1) pollsPerSecond.push(0)
    pollsPerSecond[second] = (pollsPerSecond[second] ?? 0) + 1
    return Response.json({ id: request.url.split('/').at(-1), object: 'video', status: 'in_progress', progress: 10 })
  },
})
console.log('ready')
