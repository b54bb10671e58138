import type { Message } from '../../message.ts'
import type { home as en } from '../en/home.ts'

export const home = {
  'home.title': '一个接口，调用所有模型',
  'home.lead': '将任意 OpenAI、Anthropic 或 Gemini 客户端指向本网关，由网关选择渠道、统计用量并计费。',
  'home.step.token': '创建令牌',
  'home.step.token.text': '令牌就是应用使用的 API 密钥，可以单独设置额度、有效期和可用模型。',
  'home.step.token.go': '创建令牌',
  'home.step.token.login': '登录后创建',
  'home.step.address': '使用此接口地址',
  'home.step.address.text': '填写到客户端的 Base URL 一栏。',
  'home.step.address.copy': '复制接口地址',
  'home.step.run': '发送请求',
  'home.step.run.text': '把示例中的令牌换成您的令牌，把模型换成账户可用的模型。',
  'home.sample': '示例语言',
  'home.sample.copy': '复制示例',
  'home.card': '概览',
  'home.card.version': '版本',
  'home.card.uptime': '启动时间',
  'home.card.models': '可用模型',
  'home.card.balance': '余额',
  'home.card.used': '已用额度',
  'home.card.week': '最近 7 天用量',
  'home.card.requests': '请求次数',
} satisfies Record<keyof typeof en, Message>
