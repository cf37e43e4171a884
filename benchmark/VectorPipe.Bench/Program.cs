using VectorPipe.Bench;

return await CommandLineProgram.RunProcessAsync(stop => BenchCli.RunAsync(args, Console.Out, Console.Error, stop));
