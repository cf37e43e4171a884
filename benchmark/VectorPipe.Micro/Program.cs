using BenchmarkDotNet.Configs;
using BenchmarkDotNet.Running;

// A ratio compares benchmarks of one category with that category's baseline.
IConfig config = DefaultConfig.Instance.AddLogicalGroupRules(BenchmarkLogicalGroupRule.ByCategory);
BenchmarkSwitcher.FromAssembly(typeof(Program).Assembly).Run(args, config);
