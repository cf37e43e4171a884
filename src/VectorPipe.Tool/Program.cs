using VectorPipe.Tool;

return await CommandLineProgram.RunProcessAsync(stop => Cli.RunAsync(args, Console.Out, Console.Error, stop));
