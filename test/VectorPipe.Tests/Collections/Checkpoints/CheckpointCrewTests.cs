using System.Diagnostics;
using NUnit.Framework;
using VectorPipe.Collections.Checkpoints;
using VectorPipe.Devices.Native;

namespace VectorPipe.Tests.Collections.Checkpoints;

public sealed class CheckpointCrewTests
{
    [Test]
    public void Every_piece_is_done_once_in_each_round([Values(1, 2, 3)] int seed)
    {
        var random = new Random(seed);
        using var crew = new CheckpointCrew<Tool>(static () => new Tool(), Hurried());
        for (int round = 0; round < 200; round++)
        {
            int[] done = new int[random.Next(20)];
            crew.Run(done.Length, (tool, piece) =>
            {
                tool.RequireOwner();
                Interlocked.Increment(ref done[piece]);
            });
            Assert.That(done, Is.All.EqualTo(1), $"seed {seed}, round {round}");
        }
    }

    [Test]
    public void An_error_ends_its_round_and_no_other([Values(1, 2, 3)] int seed)
    {
        var random = new Random(seed);
        using var crew = new CheckpointCrew<Tool>(static () => new Tool(), Hurried());
        for (int round = 0; round < 50; round++)
        {
            int pieces = random.Next(1, 20), bad = random.Next(pieces);
            Assert.That(
                () => crew.Run(pieces, (_, piece) =>
                {
                    if (piece == bad)
                        throw new IOException("bad piece");
                }),
                Throws.TypeOf<IOException>(), $"seed {seed}, round {round}");
            int done = 0;
            crew.Run(pieces, (_, _) => Interlocked.Increment(ref done));
            Assert.That(done, Is.EqualTo(pieces), $"seed {seed}, round {round}");
        }
    }

    [Test]
    [Platform("Linux")]
    public void Helpers_give_way_to_searches_unless_the_checkpoint_has_fallen_behind([Values] bool isBehind)
    {
        int own = Nice();
        var pace = new CheckpointPace(static () => double.PositiveInfinity, static () => 0, CancellationToken.None) { IsBehind = isBehind };
        using var met = new Barrier(2);
        int[] nice = new int[2];
        using var crew = new CheckpointCrew<Tool>(static () => new Tool(), pace);
        crew.Run(2, (_, piece) =>
        {
            // Two pieces that wait for each other need a helper.
            met.SignalAndWait();
            nice[piece] = Nice();
        });
        Assert.That(nice, Is.EquivalentTo(new[] { own, isBehind ? own : Math.Max(own, BackgroundPriority.Nice) }));
    }

    [Test]
    public void A_tool_that_cannot_be_made_is_an_error()
    {
        using var crew = new CheckpointCrew<Tool>(static () => throw new DeviceException("no tool"), Hurried());
        Assert.That(() => crew.Run(8, static (_, _) => { }), Throws.TypeOf<DeviceException>());
    }

    [Test]
    public void Tools_are_freed_by_the_threads_that_made_them()
    {
        var tools = new List<Tool>();
        using (var crew = new CheckpointCrew<Tool>(() => Added(tools), Hurried()))
            crew.Run(64, static (_, _) => { });
        Assert.That(tools, Is.Not.Empty);
        Assert.That(tools.Select(tool => tool.IsFreed), Is.All.True);
    }

    [Test]
    public void One_thread_works_beside_searches_and_more_when_writes_pile_up()
    {
        double due = 0;
        long reads = 0;
        var pace = new CheckpointPace(() => due, () => reads, CancellationToken.None);
        int all = pace.Threads;
        reads = 1;
        Assert.That(pace.Threads, Is.EqualTo(1), "somebody searches");
        due = 3.9;
        Assert.That(pace.Threads, Is.EqualTo(1), "several batches wait");
        due = 4;
        Assert.That(pace.Threads, Is.EqualTo(Math.Min(2, all)), "two batches for each thread");
        due = double.PositiveInfinity;
        Assert.That(pace.Threads, Is.EqualTo(all), "somebody waits for it");
        Assert.That(all, Is.EqualTo(Math.Min(4, 2 * Environment.ProcessorCount)), "nobody searched");
    }

    [Test]
    public void A_pace_tells_what_is_done()
    {
        int calls = 0;
        var pace = new CheckpointPace(static () => double.PositiveInfinity, static () => 0, CancellationToken.None)
        {
            Progressed = () => calls++,
        };
        pace.Expect(100);
        Assert.That((pace.Part, calls), Is.EqualTo((0.0, 0)));
        pace.Done(25, Stopwatch.GetTimestamp());
        Assert.That((pace.Part, calls), Is.EqualTo((0.25, 1)));
        pace.Done(100, Stopwatch.GetTimestamp());
        Assert.That((pace.Part, calls), Is.EqualTo((1.0, 2)), "more than was expected");
    }

    private static CheckpointPace Hurried() =>
        new(static () => double.PositiveInfinity, static () => 0, CancellationToken.None);

    private static int Nice() => Libc.GetPriority(Libc.PRIO_PROCESS, 0);

    private static Tool Added(List<Tool> tools)
    {
        var tool = new Tool();
        lock (tools)
            tools.Add(tool);
        return tool;
    }

    private sealed class Tool : IDisposable
    {
        private readonly int _owner = Environment.CurrentManagedThreadId;

        public bool IsFreed { get; private set; }

        public void RequireOwner() =>
            Assert.That(Environment.CurrentManagedThreadId, Is.EqualTo(_owner), "a tool stays with its thread");

        public void Dispose()
        {
            RequireOwner();
            IsFreed = true;
        }
    }
}
