using System.Text.Json.Nodes;
using VectorPipe.Bench.Arguments;
using VectorPipe.Measuring.Output;
using Columns = System.Collections.Generic.IReadOnlyList<System.Collections.Generic.KeyValuePair<string, System.Text.Json.Nodes.JsonNode?>>;

namespace VectorPipe.Bench.Reports;

/// <summary>Configuration and results of a command, for JSON and CSV.</summary>
internal sealed class BenchReport
{
    private readonly BenchArguments _arguments;
    private readonly JsonObject _configuration;
    private readonly List<Func<Columns>> _results = [];
    private readonly List<Func<Columns>> _iterations = [];

    /// <param name="device">Name of the device in use.</param>
    public BenchReport(BenchArguments arguments, string device)
    {
        _arguments = arguments;
        _configuration = arguments.ToJson();
        _configuration["device"] = device;
        _configuration["commit"] = HostFacts.WorkingCommit;
        _configuration["version"] = HostFacts.Version;
        _configuration["host"] = HostFacts.ToJson();
    }

    /// <summary>Runs all iterations of a measurement on the thread pool and adds their result.</summary>
    /// <returns>The iteration of median throughput.</returns>
    public async Task<TRow> MeasureAsync<TRow>(
        Func<TRow> measure, Func<TRow, double> throughput, Func<TRow, Columns> columns, CancellationToken cancellationToken)
    {
        List<TRow> iterations = [];
        for (int i = 0; i < _arguments.Iterations; i++)
            iterations.Add(await Task.Run(measure, cancellationToken));
        return Add(iterations, throughput, columns);
    }

    /// <summary>Adds a result: the iteration of median throughput, of an even number the lower of the two in the middle.</summary>
    public TRow Add<TRow>(IReadOnlyList<TRow> iterations, Func<TRow, double> throughput, Func<TRow, Columns> columns)
    {
        TRow median = iterations.OrderBy(throughput).ElementAt((iterations.Count - 1) / 2);
        _results.Add(() => columns(median));
        if (iterations.Count > 1)
            _iterations.AddRange(iterations.Select<TRow, Func<Columns>>(row => () => columns(row)));
        return median;
    }

    /// <summary>Prints the configuration, a line for each option, unless the command is quiet.</summary>
    public void PrintConfiguration(ToolConsole console)
    {
        foreach ((string name, JsonNode? value) in _configuration)
        {
            if (value is not null && !_arguments.Quiet)
                console.WriteLine($"{name}: {value.ToJsonString()}");
        }
    }

    public JsonObject ToJson()
    {
        var document = new JsonObject
        {
            ["configuration"] = _configuration.DeepClone(),
            ["results"] = ToJson(_results),
        };
        if (_iterations.Count > 0)
            document["iterations"] = ToJson(_iterations);
        return document;
    }

    /// <summary>Writes the files that the user asked for.</summary>
    public async Task WriteAsync(TextWriter output, CancellationToken cancellationToken)
    {
        await OutputFile.WriteJsonAsync(_arguments.JsonOutput, ToJson(), output, cancellationToken);
        await OutputFile.WriteCsvAsync(_arguments.CsvOutput, _results.Select(row => row()), output, cancellationToken);
    }

    private static JsonArray ToJson(List<Func<Columns>> rows) => new([.. rows.Select(row => new JsonObject(row()))]);
}
