import { expect, test } from 'bun:test'
import { isStrict } from './strict-hosts.ts'

const custom = { type: 8 }

test.each([
  ...['https://api.x.ai', 'https://eu-west-1.api.x.ai/v1', 'https://API.X.AI.', 'https://api.perplexity.ai', 'https://api.openai.com/v1'],
  ...[
    'https://eu.api.openai.com',
    'https://api.anthropic.com',
    'https://openrouter.ai/api',
    'https://r.openai.azure.com',
    'https://r.openai.azure.us',
  ],
  ...['https://r.services.ai.azure.com', 'https://bedrock-runtime.eu-west-1.amazonaws.com', 'https://bedrock-mantle.us-east-1.api.aws'],
  ...[
    'https://generativelanguage.googleapis.com',
    'https://europe-west1-aiplatform.googleapis.com',
    'https://aiplatform.eu.rep.googleapis.com',
  ],
  ...[
    'https://api.groq.com/openai',
    'https://api.mistral.ai',
    'https://api.moonshot.ai',
    'https://api.moonshot.cn',
    'https://api.z.ai/api/paas/v4',
  ],
  ...[
    'https://open.bigmodel.cn',
    'https://dashscope-intl.aliyuncs.com',
    'https://coding.dashscope.aliyuncs.com',
    'https://ark.cn-beijing.volces.com',
  ],
  ...[
    'https://tokenhub.tencentmaas.com',
    'https://api.hunyuan.cloud.tencent.com',
    'https://qianfan.baidubce.com',
    'https://api.cohere.com',
  ],
])('%s is the host of a vendor that bills by more than tokens', (baseUrl) => {
  expect(isStrict({ vendor: custom, baseUrl })).toBe(true)
  expect(isStrict({ vendor: { type: 43 }, baseUrl })).toBe(false)
})

test.each([
  ...[
    'http://127.0.0.1:4000',
    'https://litellm.example',
    'https://api.x.ai.evil.example',
    'https://notx.ai',
    'https://api-openai.com',
    'nothing',
  ],
  ...['https://ec2-1-2-3-4.compute.amazonaws.com', 'https://mine.elb.eu-west-1.amazonaws.com', 'https://vm.westeurope.cloudapp.azure.com'],
  ...['https://mine.run.googleapis.com', 'https://api.siliconflow.cn'],
])('%s is none', (baseUrl) => {
  expect(isStrict({ vendor: custom, baseUrl })).toBe(false)
  expect(isStrict({ vendor: { type: 1 }, baseUrl })).toBe(true)
})
