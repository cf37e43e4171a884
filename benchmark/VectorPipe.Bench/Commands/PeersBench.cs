using VectorPipe.Bench.Arguments;
using VectorPipe.Bench.Peers;
using VectorPipe.Bench.Reports;
using VectorPipe.Bench.Searches;
using VectorPipe.Measuring.Charts;
using VectorPipe.Measuring.Data;
using VectorPipe.Measuring.Output;
using VectorPipe.Measuring.Searches;
using VectorPipe.Reference.Searching;

namespace VectorPipe.Bench.Commands;

/// <summary><c>vectorpipe-bench peers</c>.</summary>
internal static class PeersBench
{
    private const string Own = "VectorPipe", Hnswlib = "hnswlib";

    public static async Task<int> RunAsync(PeersBenchArguments arguments, ToolConsole console, CancellationToken cancellationToken)
    {
        VectorMatrix queries = await VectorMatrix.LoadAsync("--query", arguments.Query, cancellationToken);
        GroundTruth truth = await GroundTruth.LoadAsync(arguments.Truth, cancellationToken);
        var options = new OpenOptions
        {
            Device = arguments.ToDeviceOptions(),
            QueriesInFlight = 1,
            CacheBytes = long.MaxValue,
            LoggerFactory = console.Logging,
        };
        using MeasuredIndex index = await Task.Run(
            () => MeasuredIndex.Open(arguments.Index, options, cancellationToken), cancellationToken);
        IndexInfo info = index.Info;
        bool isSearched = info.Kind == IndexKind.Graph && info.Metric == DistanceMetric.L2;
        UsageException.Require(isSearched, "--index", $"{info.Kind} by {info.Metric}", "a graph by L2, as that of hnswlib is");
        queries.RequireKind("--query", info.ElementType, info.Dimension, arguments.Index);
        var recall = new Recall(truth, arguments.Truth, queries.Count, arguments.K, info.Metric);

        var report = new BenchReport(arguments, index.DeviceName);
        report.PrintConfiguration(console);
        using HnswlibProgram program = await HnswlibProgram.StartAsync(arguments, cancellationToken);
        console.WriteLine(
            program.BuildSeconds > 0 ? $"hnswlib built its graph in {program.BuildSeconds:F0} s" : $"hnswlib read '{arguments.GraphPath}'");
        Func<float, (double Recall, double Qps)> search = info.ElementType switch
        {
            VectorElementType.Float32 => Searcher<float>(arguments, index, queries, recall, cancellationToken),
            VectorElementType.UInt8 => Searcher<byte>(arguments, index, queries, recall, cancellationToken),
            _ => throw new UsageException($"--index: expected vectors of Float32 or UInt8, found {info.ElementType}"),
        };
        List<PeerResultRow> rows = await MeasureAsync(arguments, console, search, program, cancellationToken);
        foreach (PeerResultRow row in rows)
            report.Add([row], result => result.MedianQps, result => result.ToColumns());
        console.Write(PeerResultRow.CreateTable(rows));
        await report.WriteAsync(console.Documents, cancellationToken);
        if (arguments.Chart is not null)
            await SvgChart.WriteAsync(PeerCharts.Create(arguments, info, rows), arguments.Chart, cancellationToken);
        return ExitCodes.Ok;
    }

    // In turn, setting by setting, so that both meet the same hours of a shared machine. The first pass of each compiles and warms caches.
    private static async Task<List<PeerResultRow>> MeasureAsync(
        PeersBenchArguments arguments, ToolConsole console, Func<float, (double Recall, double Qps)> search, HnswlibProgram program,
        CancellationToken cancellationToken)
    {
        float[] targets = [.. arguments.TargetRecalls];
        int[] efs = [.. arguments.Efs];
        Dictionary<(string Library, string Setting), (double Recall, List<double> Qps)> passes = [];
        for (int pass = 0; pass <= arguments.Iterations; pass++)
        {
            for (int i = 0; i < Math.Max(targets.Length, efs.Length); i++)
            {
                if (i < targets.Length)
                    Note(pass, Own, $"aim {targets[i]:G4}", await Task.Run(() => search(targets[i]), cancellationToken));
                if (i < efs.Length)
                    Note(pass, Hnswlib, $"ef {efs[i]}", await program.SearchAsync(efs[i], cancellationToken));
            }
        }

        return
        [
            .. passes.OrderByDescending(entry => entry.Key.Library).Select(entry => new PeerResultRow(
                entry.Key.Library, entry.Key.Setting, arguments.ThreadCounts[0], entry.Value.Recall, entry.Value.Qps)),
        ];

        void Note(int pass, string library, string setting, (double Recall, double Qps) result)
        {
            if (pass == 0)
            {
                passes[(library, setting)] = (result.Recall, []);
                return;
            }

            passes[(library, setting)].Qps.Add(result.Qps);
            if (!arguments.Quiet)
                console.WriteLine($"[run {library} {setting} i={pass}] {result.Qps:F0}/s, recall {result.Recall:F4}");
        }
    }

    private static Func<float, (double Recall, double Qps)> Searcher<T>(
        PeersBenchArguments arguments, MeasuredIndex index, VectorMatrix queries, Recall recall, CancellationToken cancellationToken)
        where T : unmanaged
    {
        var run = new SearchRun<T>(index.OpenSession, queries, arguments.K, arguments.ThreadCounts[0], index);
        return target =>
        {
            SearchSetting setting = ReferenceSettings.Of(
                new ReferenceSearch { Mode = SearchMode.Beam, Policy = SearchPolicy.Gain, TargetRecall = target });
            SearchMeasurement pass = run.Measure(setting.Options, cancellationToken);
            return (recall.Of(pass.Hits, pass.Statistics), queries.Count / pass.ElapsedSeconds);
        };
    }
}
