using System.Diagnostics;
using NUnit.Framework;
using OpenTelemetry;
using OpenTelemetry.Metrics;
using OpenTelemetry.Trace;

namespace VectorPipe.Extensions.Tests;

/// <summary>What an exporter of OpenTelemetry gets.</summary>
public sealed class ExporterTests
{
    [Test]
    public async Task Metrics_and_spans_reach_an_exporter()
    {
        string folder = Directory.CreateTempSubdirectory("vectorpipe-exporter-").FullName;
        List<Metric> metrics = [];
        List<Activity> spans = [];
        using MeterProvider meters = Sdk.CreateMeterProviderBuilder()
            .AddMeter(VectorPipeTelemetry.MeterName).AddInMemoryExporter(metrics).Build();
        using TracerProvider traces = Sdk.CreateTracerProviderBuilder()
            .AddSource(VectorPipeTelemetry.ActivitySourceName).AddInMemoryExporter(spans).Build();
        await using (VectorCollection<int> collection =
            await VectorCollection<int>.OpenAsync(folder, new CollectionSchema { Dimension = 2, Metric = DistanceMetric.L2 }))
        {
            await collection.UpsertAsync(1, new float[] { 1, 2 });
            await collection.SearchAsync(new float[] { 1, 1 }, 1);
            meters.ForceFlush();
            traces.ForceFlush();
        }

        Directory.Delete(folder, recursive: true);
        string name = Path.GetFileName(folder);
        Assert.That(
            spans.Where(span => span.GetTagItem("db.collection.name") as string == name).Select(span => span.DisplayName),
            Is.EqualTo(new[] { $"upsert {name}", $"search {name}" }));
        Assert.That(
            metrics.Select(metric => metric.Name),
            Is.SupersetOf(
            [
                "db.client.operation.duration", "db.client.response.returned_rows", "vectorpipe.search.reads", "vectorpipe.memory.usage",
                "vectorpipe.collection.vectors",
            ]));
        Assert.That(metrics.First(metric => metric.Name == "db.client.operation.duration").Unit, Is.EqualTo("s"));
    }
}
