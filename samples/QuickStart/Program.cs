using QuickStart;
using VectorPipe;
using VectorPipe.Formats;

// Builds an index, opens it again, and searches it in both modes, with synthetic data or your files.
if (!Arguments.TryParse(args, out Arguments? arguments, out string? problem))
{
    await Console.Error.WriteLineAsync(problem is null ? Arguments.Usage : $"{problem}\n{Arguments.Usage}");
    return problem is null ? 0 : 2;
}

// Ctrl+C cancels the run, so that it deletes its temporary directory.
using var stop = new CancellationTokenSource();
Console.CancelKeyPress += (_, e) =>
{
    e.Cancel = true;
    stop.Cancel();
};

try
{
    await RunAsync(arguments, stop.Token);
    return 0;
}
catch (OperationCanceledException)
{
    await Console.Error.WriteLineAsync("Stopped.");
    return 130;
}
catch (Exception e) when (e is VectorPipeException or ArgumentException or IOException or UnauthorizedAccessException)
{
    await Console.Error.WriteLineAsync(e.Message);
    return 1;
}

static async Task RunAsync(Arguments arguments, CancellationToken stop)
{
    if (arguments.Base is null || arguments.Query is null)
    {
        await Demonstration.RunAsync(SyntheticData.Create(), DistanceMetric.L2, stop);
        return;
    }

    VectorElementType type;
    await using (VectorFileReader reader = await VectorFileReader.OpenAsync(arguments.Base, stop))
        type = reader.ElementType;
    Task run = type switch
    {
        VectorElementType.Float32 => RunFilesAsync<float>(arguments, stop),
        VectorElementType.Float16 => RunFilesAsync<Half>(arguments, stop),
        VectorElementType.UInt8 => RunFilesAsync<byte>(arguments, stop),
        _ => RunFilesAsync<sbyte>(arguments, stop),
    };
    await run;
}

static async Task RunFilesAsync<T>(Arguments arguments, CancellationToken stop)
    where T : unmanaged, System.Numerics.INumberBase<T> =>
    await Demonstration.RunAsync(await FileData.LoadAsync<T>(arguments, stop), arguments.Metric, stop);
