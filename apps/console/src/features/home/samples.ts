/** One sample request in three languages. The reader replaces `sk-...` and the model. */
export const samples = [
  {
    id: 'curl',
    label: 'curl',
    code: (origin: string) => `curl ${origin}/v1/chat/completions \\
  -H "Authorization: Bearer sk-..." \\
  -H "Content-Type: application/json" \\
  -d '{
    "model": "gpt-4o-mini",
    "messages": [{"role": "user", "content": "Hello"}]
  }'`,
  },
  {
    id: 'python',
    label: 'Python',
    code: (origin: string) => `from openai import OpenAI

client = OpenAI(base_url="${origin}/v1", api_key="sk-...")
answer = client.chat.completions.create(
    model="gpt-4o-mini",
    messages=[{"role": "user", "content": "Hello"}],
)
print(answer.choices[0].message.content)`,
  },
  {
    id: 'node',
    label: 'Node',
    code: (origin: string) => `import OpenAI from 'openai'

const client = new OpenAI({ baseURL: '${origin}/v1', apiKey: 'sk-...' })
const answer = await client.chat.completions.create({
  model: 'gpt-4o-mini',
  messages: [{ role: 'user', content: 'Hello' }],
})
console.log(answer.choices[0].message.content)`,
  },
] as const

export type SampleId = (typeof samples)[number]['id']
