import { naturalStreams } from './natural-streams.ts'

// A vendor that streams the events of three protocols, each in a piece of its own. Runs as a separate process: bun natural-vendor.ts PORT

const vendorPort = Number(process.argv[2])

function framesFor(path: string): readonly Uint8Array[] {
  const kind = path.includes('/messages') ? 'messages' : path.includes('GenerateContent') ? 'generate' : 'chat'
  return naturalStreams.find((stream) => stream.kind === kind)?.frames ?? []
}

Bun.serve({
  port: vendorPort,
  hostname: '127.0.0.1',
  fetch(request) {
    const frames = framesFor(new URL(request.url).pathname)
    const left = frames.values()
    const body = new ReadableStream<Uint8Array>({
      async pull(controller) {
        await Bun.sleep(0)
        const { value, done } = left.next()
        if (done === true) controller.close()
        else controller.enqueue(value)
      },
    })
    return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
  },
})
console.log('ready')
