using System.Collections.Concurrent;
using Microsoft.Extensions.Logging;
using NUnit.Framework;
using VectorPipe.Devices.Native;
using VectorPipe.Tests.Collections.Checkpoints;

namespace VectorPipe.Tests.Collections.Rebuilding;

/// <summary>A rebuild gives way to searches: each phase of its build runs at lower priority.</summary>
[TestFixture]
[Platform("Linux")]
internal sealed class MaintenancePriorityTests
{
    private const string Phase = "Build phase ";

    [Test]
    public async Task Each_phase_of_a_rebuild_runs_at_lower_priority()
    {
        using var log = new PriorityLog();
        CollectionOptions options = ChangingCollection.Options with
        {
            Open = ChangingCollection.Options.Open! with { LoggerFactory = log },
        };
        await using ChangingCollection model = await ChangingCollection.BuildAsync(5, 1100, options);
        for (int first = 500; first <= 600; first += 100)
        {
            await model.UpsertAsync(Enumerable.Range(first, 150));
            Assert.That(await model.Collection.CompactAsync());
        }

        await model.CheckAsync("after the rebuilds");
        int own = Libc.GetPriority(Libc.PRIO_PROCESS, 0), lower = Math.Max(own, BackgroundPriority.Nice);
        (string Message, int Nice)[] phases = [.. log.Messages.Where(message => message.Text.StartsWith(Phase, StringComparison.Ordinal))];
        Assert.That(phases, Has.Length.GreaterThan(10), "phases of two rebuilds");
        Assert.That(phases.Where(phase => phase.Nice != lower), Is.Empty);
    }

    private sealed class PriorityLog : ILoggerFactory, ILogger
    {
        public ConcurrentQueue<(string Text, int Nice)> Messages { get; } = [];

        public void AddProvider(ILoggerProvider provider)
        {
        }

        public ILogger CreateLogger(string categoryName) => this;

        public void Dispose()
        {
        }

        public IDisposable? BeginScope<TState>(TState state)
            where TState : notnull => null;

        public bool IsEnabled(LogLevel logLevel) => true;

        public void Log<TState>(
            LogLevel logLevel, EventId eventId, TState state, Exception? exception, Func<TState, Exception?, string> formatter) =>
            Messages.Enqueue((formatter(state, exception), Libc.GetPriority(Libc.PRIO_PROCESS, 0)));
    }
}
