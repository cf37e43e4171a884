using System.Text.Json.Nodes;
using VectorPipe.Bench.Commands;
using VectorPipe.Measuring.Output;
using Columns = System.Collections.Generic.IReadOnlyList<System.Collections.Generic.KeyValuePair<string, System.Text.Json.Nodes.JsonNode?>>;

namespace VectorPipe.Bench.Reports;

/// <summary>Configuration and results of a command, as JSON and CSV: the same columns in the same order.</summary>
internal sealed class BenchReport
{
    private readonly BenchArguments _arguments;
    private readonly JsonObject _configuration;
    private readonly List<Func<Columns>> _results = [];
    private readonly List<Func<Columns>> _iterations = [];

    /// <summary>A report without results.</summary>
    /// <param name="arguments">The options.</param>
    /// <param name="device">Name of the device that was opened.</param>
    public BenchReport(BenchArguments arguments, string device)
    {
        _arguments = arguments;
        _configuration = arguments.ToJson();
        _configuration["device"] = device;
        _configuration["commit"] = HostFacts.WorkingCommit;
        _configuration["version"] = HostFacts.Version;
        _configuration["host"] = HostFacts.ToJson();
    }

    /// <summary>Adds a result: of several iterations, the one of median throughput.</summary>
    /// <typeparam name="TRow">A row.</typeparam>
    /// <param name="iterations">All iterations of the same kind, in the order in which they ran.</param>
    /// <param name="throughput">What the median is taken of.</param>
    /// <param name="columns">Names and values of a row.</param>
    /// <returns>The median: of an even number, the lower of the two in the middle.</returns>
    public TRow Add<TRow>(IReadOnlyList<TRow> iterations, Func<TRow, double> throughput, Func<TRow, Columns> columns)
    {
        TRow median = iterations.OrderBy(throughput).ElementAt((iterations.Count - 1) / 2);
        _results.Add(() => columns(median));
        if (iterations.Count > 1)
            _iterations.AddRange(iterations.Select<TRow, Func<Columns>>(row => () => columns(row)));
        return median;
    }

    /// <summary>Prints the configuration, a line an option.</summary>
    public void PrintConfiguration(ToolConsole console)
    {
        foreach ((string name, JsonNode? value) in _configuration)
        {
            if (value is not null)
                console.WriteLine($"{name}: {value.ToJsonString()}");
        }
    }

    /// <summary>The document.</summary>
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

    /// <summary>Writes the files that were asked for.</summary>
    /// <param name="output">Standard output, for a document that was asked for there.</param>
    /// <param name="cancellationToken">Ends the writing.</param>
    public async Task WriteAsync(TextWriter output, CancellationToken cancellationToken)
    {
        await OutputFile.WriteJsonAsync(_arguments.JsonOutput, ToJson(), output, cancellationToken);
        await OutputFile.WriteCsvAsync(_arguments.CsvOutput, _results.Select(row => row()), output, cancellationToken);
    }

    private static JsonArray ToJson(List<Func<Columns>> rows) => new([.. rows.Select(row => new JsonObject(row()))]);
}
