import '@anthropic-ai/sandbox-runtime'
