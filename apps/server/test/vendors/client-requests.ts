import { type ClientStream, chats, generated, messages, responses } from '../client-streams.ts'

// What well-known clients send, in the shape that their public sources and pages show; the words are ours.

export interface ClientRequest {
  readonly client: string
  /** Where its shape is from. */
  readonly source: string
  readonly path: (model: string) => string
  readonly headers: Readonly<Record<string, string>>
  readonly body: (model: string) => object
  /** How its stream is read. */
  readonly reads: ClientStream
  /** The tools that the vendor must get. */
  readonly tools: readonly string[]
}

/** What the user said last, and what a tool gave before. */
export const userText = 'Which files are here?'
export const toolOutput = 'README.md and a folder src'

const schema = {
  $schema: 'http://json-schema.org/draft-07/schema#',
  type: 'object',
  properties: { command: { type: 'string', description: 'The command to run' }, timeout: { type: 'number' } },
  required: ['command'],
  additionalProperties: false,
}
const command = { command: 'ls "a b" && echo ü' }
/** A long instruction: those of agents have up to 200 KB. */
const instruction = 'You help with a project. Answer briefly, and use the tools that you have. '.repeat(2_800)
const marked = { cache_control: { type: 'ephemeral' } }

const claudeCode: ClientRequest = {
  client: 'Claude Code',
  source: 'https://code.claude.com/docs/en/llm-gateway and the requests of @anthropic-ai/claude-code 2.1.332, seen 2026-11-25',
  path: () => '/v1/messages?beta=true',
  headers: {
    'anthropic-version': '2023-06-01',
    'anthropic-beta':
      'claude-code-20250219,interleaved-thinking-2025-05-14,context-management-2025-06-27,mid-conversation-tool-changes-2026-07-01,thinking-token-count-2026-05-13,advanced-tool-use-2025-11-20,effort-2025-11-24',
    'x-app': 'cli',
    'user-agent': 'claude-cli/2.1.332 (external, sdk-cli)',
    'x-stainless-lang': 'js',
    'anthropic-dangerous-direct-browser-access': 'true',
  },
  body: (model) => ({
    model,
    max_tokens: 32_000,
    stream: true,
    // A JSON text, longer than the name of an end user may be elsewhere.
    metadata: { user_id: JSON.stringify({ device_id: 'd'.repeat(64), account_uuid: '', session_id: crypto.randomUUID() }) },
    system: [
      { type: 'text', text: 'You are an agent for code.', ...marked },
      { type: 'text', text: instruction, ...marked },
    ],
    // Which of these it sends depends on the model's name.
    ...(/^claude-[a-z]+-4-[0-5]\b/.test(model)
      ? { thinking: { budget_tokens: 31_999, type: 'enabled', display: 'omitted' } }
      : { thinking: { type: 'adaptive', display: 'omitted' }, output_config: { effort: 'high' } }),
    context_management: { edits: [{ type: 'clear_thinking_20251015', keep: 'all' }] },
    tools: [
      ...['Bash', 'ToolSearch'].map((name) => ({ name, description: `Runs ${name}`, input_schema: schema })),
      // It has found one of these.
      ...['WebFetch', 'DeferredToolPlaceholder'].map((name) => ({
        ...{ name, description: `Runs ${name}`, input_schema: schema },
        defer_loading: true,
      })),
    ],
    messages: [
      { role: 'user', content: [{ type: 'text', text: 'Hi' }] },
      { role: 'system', content: 'Today is Tuesday.' },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'I look.', signature: 'EqQBCg==' },
          { type: 'text', text: 'I look.' },
          { type: 'tool_use', id: 'toolu_01A', name: 'Bash', input: command },
          { type: 'tool_use', id: 'toolu_01B', name: 'ToolSearch', input: { query: 'select:WebFetch' } },
        ],
      },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 'toolu_01B', content: [{ type: 'tool_reference', tool_name: 'WebFetch' }] },
          { type: 'tool_result', tool_use_id: 'toolu_01A', content: toolOutput, is_error: false, ...marked },
          { type: 'text', text: userText, ...marked },
        ],
      },
    ],
  }),
  reads: messages,
  tools: ['Bash', 'ToolSearch', 'WebFetch'],
}

const codex: ClientRequest = {
  client: 'Codex CLI',
  source:
    'https://github.com/openai/codex, codex-rs/codex-api/src/common.rs (ResponsesApiRequest), and the requests of @openai/codex 0.169, seen 2026-11-25',
  path: () => '/v1/responses',
  headers: {
    ...{ originator: 'codex_exec', 'session-id': crypto.randomUUID(), 'thread-id': crypto.randomUUID() },
    ...{ 'user-agent': 'codex_exec/0.169.0 (Debian 12.0.0; x86_64) dumb', accept: 'text/event-stream' },
    'x-codex-beta-features': 'remote_compaction_v2',
  },
  body: (model) => ({
    model,
    stream: true,
    input: [
      { type: 'message', id: 'msg_1', role: 'developer', content: [{ type: 'input_text', text: instruction }] },
      { type: 'message', id: 'msg_2', role: 'developer', content: [{ type: 'input_text', text: 'Ask before you write.' }] },
      {
        type: 'message',
        id: 'msg_3',
        role: 'user',
        content: [{ type: 'input_text', text: '<environment_context></environment_context>' }],
      },
      {
        ...{ type: 'reasoning', id: 'rs_1', summary: [{ type: 'summary_text', text: 'I look.' }], content: null },
        encrypted_content: 'gAAAAABo-of-openai',
      },
      {
        ...{ type: 'message', status: 'completed', id: 'msg_4', role: 'assistant' },
        content: [{ type: 'output_text', text: 'I look.', annotations: [], logprobs: [] }],
      },
      {
        ...{ type: 'function_call', status: 'completed', id: 'fc_1', name: 'exec_command', call_id: 'call_1' },
        arguments: JSON.stringify(command),
      },
      { type: 'function_call_output', id: 'fco_1', call_id: 'call_1', output: toolOutput },
      {
        ...{ type: 'custom_tool_call', status: 'completed', id: 'ctc_1', call_id: 'call_2', name: 'apply_patch' },
        input: '*** Begin Patch\n*** End Patch',
      },
      { type: 'custom_tool_call_output', id: 'ctco_1', call_id: 'call_2', output: 'Nothing changed' },
      { type: 'message', id: 'msg_5', role: 'user', content: [{ type: 'input_text', text: userText }] },
    ],
    tools: [
      { type: 'function', name: 'exec_command', description: 'Runs a command', strict: false, parameters: schema },
      {
        ...{ type: 'custom', name: 'apply_patch', description: 'Changes files' },
        format: { type: 'grammar', syntax: 'lark', definition: 'start: /[^"]+/' },
      },
      {
        ...{ type: 'namespace', name: 'multi_agent_v1', description: 'Other agents' },
        tools: [{ type: 'function', name: 'spawn_agent', description: 'Starts an agent', strict: false, parameters: schema }],
      },
      { type: 'tool_search', execution: 'client', description: 'Finds tools', parameters: schema },
      { type: 'web_search', external_web_access: false, search_content_types: ['text', 'image'] },
    ],
    client_metadata: { session_id: 's-1', turn_id: 't-1', 'x-codex-turn-metadata': '{"request_kind":"turn"}' },
    tool_choice: 'auto',
    parallel_tool_calls: true,
    reasoning: { effort: 'medium', summary: 'auto' },
    store: false,
    include: ['reasoning.encrypted_content'],
    prompt_cache_key: crypto.randomUUID(),
    text: { verbosity: 'low' },
  }),
  reads: responses,
  tools: ['exec_command', 'apply_patch', 'multi_agent_v1__spawn_agent', 'tool_search'],
}

const geminiCli: ClientRequest = {
  client: 'Gemini CLI',
  source:
    'https://github.com/google-gemini/gemini-cli, packages/core/src/core, and the requests of @google/gemini-cli 0.61, seen 2026-11-25',
  path: (model) => `/v1beta/models/${model}:streamGenerateContent?alt=sse`,
  headers: {
    'x-goog-api-client': 'google-genai-sdk/1.30.0 gl-node/v22',
    'user-agent': 'GeminiCLI-tui/0.61.0/gemini-3.8-flash (linux; x64; terminal)',
    'x-gemini-api-privileged-user-id': crypto.randomUUID(),
  },
  body: () => ({
    systemInstruction: { role: 'user', parts: [{ text: instruction }] },
    contents: [
      { role: 'user', parts: [{ text: '<session_context>Linux</session_context>' }] },
      {
        role: 'model',
        parts: [
          { text: 'I look.', thought: true },
          { text: 'I look.' },
          { functionCall: { id: 'run_shell_command-1', name: 'run_shell_command', args: command }, thoughtSignature: 'EqQBCg==' },
        ],
      },
      {
        role: 'user',
        parts: [
          { functionResponse: { id: 'run_shell_command-1', name: 'run_shell_command', response: { output: toolOutput } } },
          { text: userText },
        ],
      },
    ],
    tools: [
      {
        functionDeclarations: ['run_shell_command', 'read_file'].map((name) => ({
          name,
          description: `Runs ${name}`,
          parametersJsonSchema: { type: 'object', properties: schema.properties, required: schema.required },
        })),
      },
    ],
    generationConfig: { temperature: 1, topP: 0.95, topK: 64, thinkingConfig: { includeThoughts: true, thinkingLevel: 'HIGH' } },
  }),
  reads: generated,
  tools: ['run_shell_command', 'read_file'],
}

const chatTool = (name: string) => ({ type: 'function', function: { name, description: `Runs ${name}`, parameters: schema } })
const called = { id: 'call_1', type: 'function', function: { name: 'execute_command', arguments: JSON.stringify(command) } }
const turns = [
  { role: 'user', content: [{ type: 'text', text: 'Hi' }] },
  { role: 'assistant', content: 'I look.', tool_calls: [called] },
  { role: 'tool', tool_call_id: 'call_1', content: toolOutput },
  { role: 'user', content: [{ type: 'text', text: userText }] },
]

const patch = '*** Begin Patch\n*** End Patch'
const patchTool = {
  ...{ type: 'custom', name: 'ApplyPatch', description: 'Changes files' },
  format: { type: 'grammar', syntax: 'lark', definition: 'start: /[^"]+/' },
}

/** Its agent asks for responses at the path of chats, and reads chats. */
const cursor: ClientRequest = {
  client: 'Cursor',
  source:
    'https://forum.cursor.com/t/159298 and /t/153019, https://github.com/BerriAI/litellm/pull/34029 and https://github.com/icebear0828/codex-proxy/pull/708 (calls of custom tools), read 2026-11-25',
  path: () => '/v1/chat/completions',
  headers: { 'user-agent': 'Cursor/1.0' },
  body: (model) => ({
    model,
    user: 'github|user_01',
    input: [
      { role: 'system', content: instruction },
      { role: 'user', content: [{ type: 'input_text', text: 'Hi' }] },
      { type: 'function_call', call_id: 'call_1', name: 'run_terminal_cmd', arguments: JSON.stringify(command) },
      { type: 'function_call_output', call_id: 'call_1', output: toolOutput },
      { type: 'function_call', call_id: 'call_2', name: 'ApplyPatch', arguments: patch },
      { type: 'function_call_output', call_id: 'call_2', output: 'Nothing changed' },
      { role: 'user', content: [{ type: 'input_text', text: userText }] },
    ],
    tools: [{ type: 'function', name: 'run_terminal_cmd', description: 'Runs a command', parameters: schema, strict: false }, patchTool],
    tool_choice: 'auto',
    stream: true,
    stream_options: { include_usage: true },
    store: false,
    include: ['reasoning.encrypted_content'],
    reasoning: { effort: 'medium', summary: 'auto' },
    text: { verbosity: 'low' },
    prompt_cache_retention: '24h',
    truncation: 'disabled',
  }),
  reads: chats,
  tools: ['run_terminal_cmd', 'ApplyPatch'],
}

/** Its questions are chats, of whose tools some are in the form of responses. */
const cursorAsk: ClientRequest = {
  client: 'Cursor, questions',
  source: 'https://github.com/BerriAI/litellm/pull/34029, read 2026-11-25',
  path: () => '/v1/chat/completions',
  headers: { 'user-agent': 'Cursor/1.0' },
  body: (model) => ({
    ...{ model, temperature: 0, stream: true, stream_options: { include_usage: true } },
    messages: [{ role: 'system', content: instruction }, ...turns],
    tools: [chatTool('execute_command'), patchTool],
  }),
  reads: chats,
  tools: ['execute_command', 'ApplyPatch'],
}

const cline: ClientRequest = {
  client: 'Cline',
  source: 'https://github.com/cline/cline, src/core/api/providers/openai.ts, a stored copy read 2026-11-25',
  path: () => '/v1/chat/completions',
  headers: { 'user-agent': 'OpenAI/JS 4.96.0', 'x-stainless-lang': 'js' },
  body: (model) => ({
    ...{ model, temperature: 0, stream: true, stream_options: { include_usage: true } },
    messages: [{ role: 'system', content: instruction }, ...turns],
    tools: [chatTool('execute_command')],
  }),
  reads: chats,
  tools: ['execute_command'],
}

/** It asks for usage only of models whose capability `usage` an administrator has set, and that is not set by itself. */
const openWebUi: ClientRequest = {
  client: 'Open WebUI',
  source:
    'https://github.com/open-webui/open-webui, src/lib/components/chat/Chat.svelte (`capabilities.usage`), a stored copy read 2026-11-26',
  path: () => '/v1/chat/completions',
  headers: { 'user-agent': 'Python/3.11 aiohttp/3.12' },
  body: (model) => ({
    ...{ stream: true, model },
    messages: [{ role: 'system', content: instruction }, ...turns],
    tools: [chatTool('execute_command')],
  }),
  reads: chats,
  tools: ['execute_command'],
}

const marksOf = (text: string) => [{ type: 'text', text, ...marked }]

/** It marks what is cached in chats, too, where the model is said to have a cache. */
const rooCode: ClientRequest = {
  client: 'Roo Code',
  source: 'https://github.com/RooCodeInc/Roo-Code, src/api/providers/openai.ts, a stored copy read 2026-11-26',
  path: () => '/v1/chat/completions',
  headers: { 'user-agent': 'OpenAI/JS 5.12.2', 'x-stainless-lang': 'js' },
  body: (model) => ({
    ...{ model, temperature: 0, stream: true, stream_options: { include_usage: true }, parallel_tool_calls: false },
    messages: [
      { role: 'system', content: marksOf(instruction) },
      { role: 'user', content: marksOf('Hi') },
      ...turns.slice(1, 3),
      { role: 'user', content: marksOf(userText) },
    ],
    tools: [chatTool('execute_command')],
    tool_choice: 'auto',
  }),
  reads: chats,
  tools: ['execute_command'],
}

/** It sends reasoning back as `reasoning_content`, and the results of tools as parts. */
const zed: ClientRequest = {
  client: 'Zed',
  source: 'https://github.com/zed-industries/zed, crates/open_ai/src/open_ai.rs (Request, RequestMessage), a stored copy read 2026-11-26',
  path: () => '/v1/chat/completions',
  headers: { 'user-agent': 'Zed/0.214.0 (linux; x86_64)' },
  body: (model) => ({
    ...{ model, stream: true, stream_options: { include_usage: true }, max_completion_tokens: 8_192 },
    ...{ parallel_tool_calls: false, prompt_cache_key: 'thread-1' },
    messages: [
      { role: 'system', content: instruction },
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: null, tool_calls: [called], reasoning_content: 'I look.' },
      { role: 'tool', tool_call_id: 'call_1', content: [{ type: 'text', text: toolOutput }] },
      { role: 'user', content: userText },
    ],
    tools: [chatTool('execute_command')],
    tool_choice: 'auto',
  }),
  reads: chats,
  tools: ['execute_command'],
}

/** Its provider for other vendors sends reasoning and Google's signatures back, and an empty text beside calls. */
const aiSdk: ClientRequest = {
  client: 'AI SDK, openai-compatible',
  source:
    'https://github.com/vercel/ai, packages/openai-compatible/src/chat/convert-to-openai-compatible-chat-messages.ts, a stored copy read 2026-11-26',
  path: () => '/v1/chat/completions',
  headers: { 'user-agent': 'ai-sdk/openai-compatible' },
  body: (model) => ({
    ...{ model, stream: true, stream_options: { include_usage: true } },
    messages: [
      { role: 'system', content: instruction },
      { role: 'user', content: 'Hi' },
      {
        ...{ role: 'assistant', content: '', reasoning_content: 'I look.' },
        tool_calls: [{ ...called, extra_content: { google: { thought_signature: 'EqQBCg==' } } }],
      },
      { role: 'tool', tool_call_id: 'call_1', content: JSON.stringify([{ type: 'text', text: toolOutput }]) },
      { role: 'user', content: userText },
    ],
    tools: [chatTool('execute_command')],
    tool_choice: 'auto',
  }),
  reads: chats,
  tools: ['execute_command'],
}

/** It sets the reasoning effort in each vendor's own way within a chat, by the model's name. */
const cherryStudio: ClientRequest = {
  client: 'Cherry Studio',
  source:
    'https://github.com/CherryHQ/cherry-studio, src/renderer/src/aiCore/legacy/clients/openai/OpenAIApiClient.ts (getReasoningEffort), a stored copy read 2026-11-26',
  path: () => '/v1/chat/completions',
  headers: { 'user-agent': 'OpenAI/JS 6.5.0', 'x-stainless-lang': 'js' },
  body: (model) => ({
    ...{ model, stream: true, stream_options: { include_usage: true }, ...cherryThinking(model) },
    messages: [{ role: 'system', content: instruction }, ...turns],
    tools: [chatTool('execute_command')],
  }),
  reads: chats,
  tools: ['execute_command'],
}

function cherryThinking(model: string): object {
  if (/claude/.test(model)) return { thinking: { type: 'enabled', budget_tokens: 4_096 }, max_tokens: 16_000 }
  if (/gemini/.test(model)) return { extra_body: { google: { thinking_config: { thinking_budget: 4_096, include_thoughts: true } } } }
  return /deepseek/.test(model) ? { enable_thinking: true } : {}
}

const lobeChat: ClientRequest = {
  client: 'LobeChat',
  source: 'https://github.com/lobehub/lobe-chat, packages/model-runtime (openaiCompatibleFactory), a stored copy read 2026-11-25',
  path: () => '/v1/chat/completions',
  headers: { 'user-agent': 'OpenAI/JS 4.104.0', accept: '*/*' },
  body: (model) => ({
    ...{
      model,
      stream: true,
      stream_options: { include_usage: true },
      temperature: 1,
      top_p: 1,
      frequency_penalty: 0,
      presence_penalty: 0,
    },
    messages: [{ role: 'system', content: instruction }, ...turns],
    tools: [chatTool('execute_command')],
    user: 'user_2',
  }),
  reads: chats,
  tools: ['execute_command'],
}

const withUsage = { stream: true, stream_options: { include_usage: true } } as const

/** It says a space where there is no text, because some servers refuse an empty one. */
const continueDev: ClientRequest = {
  client: 'Continue',
  source: 'https://github.com/continuedev/continue, core/llm/openaiTypeConverters.ts (toChatBody), a stored copy read 2026-11-26',
  path: () => '/v1/chat/completions',
  headers: { 'user-agent': 'node-fetch', 'x-api-key': '' },
  body: (model) => ({
    ...{ model, ...withUsage, max_tokens: 4_096, temperature: 0 },
    messages: [
      { role: 'system', content: instruction },
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: ' ', tool_calls: [called] },
      { role: 'tool', content: toolOutput, tool_call_id: 'call_1' },
      { role: 'user', content: userText },
    ],
    tools: [chatTool('execute_command')],
  }),
  reads: chats,
  tools: ['execute_command'],
}

/** Its plugin for addresses of OpenAI's protocol names the form of texts, and the end user in every request. */
const dify: ClientRequest = {
  client: 'Dify',
  source:
    'https://github.com/langgenius/dify-plugin-sdks, python/dify_plugin/interfaces/model/openai_compatible/llm.py, a stored copy read 2026-11-26',
  path: () => '/v1/chat/completions',
  headers: { 'user-agent': 'python-requests/2.32.3', accept: '*/*' },
  body: (model) => ({
    ...{ model, ...withUsage, temperature: 0.7, max_tokens: 4_096, response_format: { type: 'text' } },
    messages: [
      { role: 'system', content: instruction },
      { role: 'user', content: [{ type: 'text', text: 'Hi' }] },
      { role: 'assistant', content: '', tool_calls: [called] },
      { role: 'tool', content: toolOutput, tool_call_id: 'call_1' },
      { role: 'user', content: [{ type: 'text', text: userText }] },
    ],
    tool_choice: 'auto',
    tools: [chatTool('execute_command')],
    user: crypto.randomUUID(),
  }),
  reads: chats,
  tools: ['execute_command'],
}

/** Set to "function call", it sends the older form, and names a result by the id of its call. */
const difyFunctions: ClientRequest = {
  ...dify,
  client: 'Dify, functions',
  body: (model) => ({
    ...{ model, ...withUsage, temperature: 0.7, max_tokens: 4_096 },
    messages: [
      { role: 'system', content: instruction },
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: '', function_call: called.function },
      { role: 'function', content: toolOutput, name: 'tool_call_id' },
      { role: 'user', content: userText },
    ],
    functions: [chatTool('execute_command').function],
    user: crypto.randomUUID(),
  }),
}

/** In Python it sends no content beside calls, and the results of tools as parts if the tool gave parts. */
const langChain: ClientRequest = {
  client: 'LangChain',
  source:
    'https://github.com/langchain-ai/langchain, libs/partners/openai/langchain_openai/chat_models/base.py, a stored copy read 2026-11-26',
  path: () => '/v1/chat/completions',
  headers: { 'user-agent': 'OpenAI/Python 2.8.0', 'x-stainless-lang': 'python' },
  body: (model) => ({
    ...{ model, ...withUsage, max_completion_tokens: 4_096, parallel_tool_calls: false },
    messages: [
      { role: 'system', content: instruction },
      { role: 'user', content: 'Hi', name: 'anna' },
      { role: 'assistant', content: null, tool_calls: [called] },
      { role: 'tool', content: [{ type: 'text', text: toolOutput }], tool_call_id: 'call_1' },
      { role: 'user', content: [{ type: 'text', text: userText }] },
    ],
    tools: [{ type: 'function', function: { ...chatTool('execute_command').function, strict: false } }],
    tool_choice: 'auto',
  }),
  reads: chats,
  tools: ['execute_command'],
}

/** It builds on LangChain for JavaScript, whose results of tools have names, and can send the reasoning of earlier turns back. */
const libreChat: ClientRequest = {
  client: 'LibreChat',
  source:
    'https://github.com/danny-avila/LibreChat/pull/13921 and https://github.com/langchain-ai/langchainjs, libs/providers/langchain-openai/src/converters/completions.ts, stored copies read 2026-11-26',
  path: () => '/v1/chat/completions',
  headers: { 'user-agent': 'OpenAI/JS 6.9.0', 'x-stainless-lang': 'js' },
  body: (model) => ({
    ...{ model, ...withUsage, temperature: 1, top_p: 1, user: '66f2a1c0b6a1e80012345678' },
    messages: [
      { role: 'system', content: instruction },
      { role: 'user', content: [{ type: 'text', text: 'Hi' }] },
      { role: 'assistant', content: '', tool_calls: [called], reasoning_content: 'I look.' },
      { role: 'tool', content: toolOutput, name: 'execute_command', tool_call_id: 'call_1' },
      { role: 'user', content: [{ type: 'text', text: userText }] },
    ],
    tools: [chatTool('execute_command')],
  }),
  reads: chats,
  tools: ['execute_command'],
}

/** Its agent sends an empty list beside calls, and says of no tool whether it is strict. */
const n8n: ClientRequest = {
  client: 'n8n',
  source: 'https://github.com/n8n-io/n8n/issues/36774 and /23656, read 2026-11-26',
  path: () => '/v1/chat/completions',
  headers: { 'user-agent': 'OpenAI/JS 6.9.0', 'x-stainless-lang': 'js', 'openai-platform': 'org-qkmJQuJ2WnvoIKMr2UJwIJkZ' },
  body: (model) => ({
    ...{ model, ...withUsage },
    messages: [
      { role: 'system', content: instruction },
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: [], tool_calls: [called] },
      { role: 'tool', content: toolOutput, name: 'execute_command', tool_call_id: 'call_1' },
      { role: 'user', content: userText },
    ],
    tools: [{ type: 'function', function: { ...chatTool('execute_command').function, strict: null } }],
  }),
  reads: chats,
  tools: ['execute_command'],
}

/** Its node for OpenAI asks for responses, unless that is turned off. */
const n8nResponses: ClientRequest = {
  ...n8n,
  client: 'n8n, responses',
  source:
    'https://github.com/n8n-io/n8n, packages/@n8n/nodes-langchain/nodes/llms/LMChatOpenAi/common.ts, a stored copy, and issue 23656, read 2026-11-26',
  path: () => '/v1/responses',
  body: (model) => ({
    ...{ model, stream: true, text: { format: { type: 'text' } } },
    input: [
      { type: 'message', role: 'system', content: instruction },
      { type: 'message', role: 'user', content: 'Hi' },
      { type: 'function_call', call_id: 'call_1', name: 'execute_command', arguments: JSON.stringify(command) },
      { type: 'function_call_output', call_id: 'call_1', output: toolOutput },
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: userText }] },
    ],
    tools: [{ type: 'function', name: 'execute_command', description: 'Runs a command', parameters: schema, strict: null }],
  }),
  reads: responses,
}

/** It collects calls from a stream with the index of each, and sends them back so. */
const llamaIndex: ClientRequest = {
  client: 'LlamaIndex',
  source:
    'https://github.com/run-llama/llama_index, llama-index-integrations/llms/llama-index-llms-openai, utils.py (update_tool_calls), a stored copy read 2026-11-26',
  path: () => '/v1/chat/completions',
  headers: { 'user-agent': 'OpenAI/Python 2.8.0', 'x-stainless-lang': 'python' },
  body: (model) => ({
    ...{ model, ...withUsage, temperature: 0.1 },
    messages: [
      { role: 'system', content: instruction },
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: null, tool_calls: [{ index: 0, ...called }] },
      { role: 'tool', content: toolOutput, tool_call_id: 'call_1' },
      { role: 'user', content: userText },
    ],
    tools: [chatTool('execute_command')],
    tool_choice: 'auto',
    parallel_tool_calls: false,
  }),
  reads: chats,
  tools: ['execute_command'],
}

/** It calls no tools: it says in texts how files change, and repeats the instruction as the system's last message. */
const aider: ClientRequest = {
  client: 'aider',
  source: 'https://github.com/Aider-AI/aider, aider/coders/base_coder.py and aider/models.py, a stored copy read 2026-11-26',
  path: () => '/v1/chat/completions',
  headers: { 'user-agent': 'OpenAI/Python 1.75.0', 'x-stainless-lang': 'python', 'http-referer': 'https://aider.chat', 'x-title': 'Aider' },
  body: (model) => ({
    ...{ model, stream: true, temperature: 0 },
    messages: [
      { role: 'system', content: marksOf(instruction) },
      { role: 'user', content: 'I have *added these files to the chat*. ls "a b"' },
      { role: 'assistant', content: 'Ok, any changes I propose will be to those files.' },
      { role: 'user', content: marksOf(userText) },
      { role: 'system', content: 'Answer with blocks that search and replace.' },
    ],
  }),
  reads: chats,
  tools: [],
}

export const clientRequests: readonly ClientRequest[] = [
  ...[claudeCode, codex, geminiCli, cursor, cursorAsk, cline, openWebUi, lobeChat],
  ...[rooCode, zed, aiSdk, cherryStudio],
  ...[continueDev, dify, difyFunctions, langChain, libreChat, n8n, n8nResponses, llamaIndex, aider],
]
