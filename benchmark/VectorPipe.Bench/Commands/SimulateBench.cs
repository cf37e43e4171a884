using System.Text.Json.Nodes;
using VectorPipe.Bench.Simulations;
using VectorPipe.Measuring.Output;

namespace VectorPipe.Bench.Commands;

/// <summary><c>vectorpipe-bench simulate</c>.</summary>
internal static class SimulateBench
{
    public static async Task<int> RunAsync(SimulateBenchArguments arguments, ToolConsole console, CancellationToken cancellationToken)
    {
        List<SimulationResultRow> rows = [];
        foreach (SimulationPlan plan in arguments.Plans)
            rows.Add(new SimulationResultRow(plan, await Task.Run(() => SimulatedCluster.Run(plan, cancellationToken), cancellationToken)));
        console.Write(SimulationResultRow.CreateTable(rows));
        JsonObject configuration = OptionsReport.Create(arguments);
        configuration["commit"] = HostFacts.WorkingCommit;
        configuration["version"] = HostFacts.Version;
        var document = new JsonObject
        {
            ["configuration"] = configuration,
            ["results"] = new JsonArray([.. rows.Select(row => new JsonObject(row.ToColumns()))]),
        };
        await OutputFile.WriteJsonAsync(arguments.JsonOutput, document, console.Documents, cancellationToken);
        await OutputFile.WriteCsvAsync(
            arguments.CsvOutput, rows.Select(row => row.ToColumns()), console.Documents, cancellationToken);
        return ExitCodes.Ok;
    }
}
