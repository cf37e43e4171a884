using System.Diagnostics;
using System.Text.Json;
using Microsoft.AspNetCore.Http;
using VectorPipe.Server.Dashboard.Answers;
using VectorPipe.Server.Figures;

namespace VectorPipe.Server.Dashboard;

/// <summary>Sends the figures of each second to pages, as server-sent events.</summary>
/// <param name="server">The server.</param>
/// <param name="stopping">Ends all streams: the server stops.</param>
internal sealed class LivePages(ServerState server, CancellationToken stopping)
{
    private const int MostStreams = 32;

    private static readonly TimeSpan _interval = TimeSpan.FromSeconds(1);

    private readonly ServerState _server = server;
    private readonly CancellationToken _stopping = stopping;
    private int _streams;

    public async Task StreamAsync(HttpContext context)
    {
        if (Interlocked.Increment(ref _streams) > MostStreams)
        {
            Interlocked.Decrement(ref _streams);
            throw new DashboardException(
                StatusCodes.Status503ServiceUnavailable, $"BUSY expected at most {MostStreams} pages with live figures, found more");
        }

        using var stop = CancellationTokenSource.CreateLinkedTokenSource(context.RequestAborted, _stopping);
        try
        {
            context.Response.ContentType = "text/event-stream";
            context.Response.Headers.CacheControl = "no-store";
            await SendAsync(context.Response, stop.Token);
        }
        catch (OperationCanceledException) when (stop.IsCancellationRequested)
        {
            // The page has gone, or the server goes: the stream ends.
        }
        finally
        {
            Interlocked.Decrement(ref _streams);
        }
    }

    private async Task SendAsync(HttpResponse response, CancellationToken stop)
    {
        using var timer = new PeriodicTimer(_interval, _server.Clock);
        Sample before = Sample.Of(_server);

        // The head of the answer goes at once, so that the page knows that it is connected.
        await response.WriteAsync(": each second\n\n", stop);
        await response.Body.FlushAsync(stop);
        while (await timer.WaitForNextTickAsync(stop))
        {
            Sample now = Sample.Of(_server);
            string figures = JsonSerializer.Serialize(Between(before, now), DashboardJson.Readable.LiveFigures);
            await response.WriteAsync($"data: {figures}\n\n", stop);
            await response.Body.FlushAsync(stop);
            before = now;
        }
    }

    private LiveFigures Between(Sample before, Sample now)
    {
        double seconds = Stopwatch.GetElapsedTime(before.At, now.At).TotalSeconds;
        long[] durations = [.. now.Durations.Zip(before.Durations, (count, earlier) => count - earlier)];
        long searches = durations.Sum();
        return new LiveFigures
        {
            Seconds = seconds,
            CommandsPerSecond = (now.Commands - before.Commands) / seconds,
            SearchesPerSecond = searches / seconds,
            RefusedPerSecond = (now.Refused - before.Refused) / seconds,
            ReadsPerSearch = searches == 0 ? null : (double)(now.Reads - before.Reads) / searches,
            P50Us = DurationBuckets.PercentileUs(durations, 0.5),
            P99Us = DurationBuckets.PercentileUs(durations, 0.99),
            P999Us = DurationBuckets.PercentileUs(durations, 0.999),
            Connections = _server.Clients.Count,
            Processors = (now.Processor - before.Processor) / seconds,
            MemoryBytes = Environment.WorkingSet,
            UptimeSeconds = _server.Uptime.TotalSeconds,
        };
    }

    private sealed record Sample(
        long At, long[] Durations, long Reads, long Refused, long Commands, double Processor)
    {
        public static Sample Of(ServerState server) => new(
            Stopwatch.GetTimestamp(),
            server.Searches.CopyDurations(),
            server.Searches.Reads,
            server.Searches.Refused,
            server.CommandsProcessed,
            Environment.CpuUsage.TotalTime.TotalSeconds);
    }
}
