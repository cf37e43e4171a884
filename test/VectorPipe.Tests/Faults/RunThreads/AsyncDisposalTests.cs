using NUnit.Framework;
using VectorPipe.Tests.Api;
using VectorPipe.Tests.Devices;

namespace VectorPipe.Tests.Faults.RunThreads;

/// <summary>Every call on several threads ends with its answer or with the disposal of the index.</summary>
[TestFixture]
internal sealed class AsyncDisposalTests
{
    private const int Count = 400;
    private const int Callers = 4;
    private const int CallsEach = 60;
    private TestIndex _test = null!;

    [OneTimeSetUp]
    public void Build() => _test = TestIndex.Build(count: Count, dimension: 16);

    [OneTimeTearDown]
    public void Delete() => _test.Dispose();

    [TestCase(TestDevice.Auto, 4)]
    [TestCase(TestDevice.Portable, 4)]
    [TestCase(TestDevice.MemoryRing, 4)]
    [TestCase(TestDevice.Auto, 25, Category = "Heavy")]
    [TestCase(TestDevice.Portable, 25, Category = "Heavy")]
    [TestCase(TestDevice.MemoryRing, 25, Category = "Heavy")]
    public void Every_call_ends_with_its_answer_or_the_disposal(TestDevice kind, int rounds)
    {
        int before = PipelineHealth.OpenDescriptors(_test.Directory);
        int answers = 0;
        int refusals = 0;
        for (int seed = 1; seed <= rounds; seed++)
        {
            Round round = new(_test, kind, seed);
            Watchdog.Run($"{kind}, seed {seed}", round.Run, round.Describe);
            answers += round.Answers;
            refusals += round.Refusals;
        }

        TestContext.Out.WriteLine($"{kind}: {answers} answers, {refusals} refusals");
        Assert.That(answers, Is.GreaterThan(rounds));
        Assert.That(refusals, Is.GreaterThan(rounds));
        Assert.That(PipelineHealth.OpenDescriptors(_test.Directory), Is.EqualTo(before));
    }

    private sealed class Round
    {
        private readonly TestIndex _test;
        private readonly VectorIndex _index;
        private readonly int _seed;
        private readonly int _disposeAt;
        private int _calls;
        private int _ended;
        private int _answers;
        private int _refusals;

        public Round(TestIndex test, TestDevice kind, int seed)
        {
            _test = test;
            _seed = seed;
            _disposeAt = new Random(seed).Next(1, Callers * CallsEach * 3 / 4);
            _index = VectorIndex.Open(test.Directory, new OpenOptions { SearchThreads = 2, QueriesInFlight = 2, Device = kind.Options() });
        }

        public int Answers => _answers;

        public int Refusals => _refusals;

        public string Describe() => $"{_calls} calls, {_ended} ended, disposal at {_disposeAt}";

        public void Run()
        {
            Task[] callers = [.. Enumerable.Range(0, Callers).Select(caller => Task.Factory.StartNew(
                () =>
                Call(new Random((_seed * 31) + caller)), CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default)
                .Unwrap())];
            Task.WhenAll(callers).GetAwaiter().GetResult();
            _index.Dispose();
            Assert.That((_ended, _answers + _refusals), Is.EqualTo((Callers * CallsEach, Callers * CallsEach)), $"seed {_seed}");
        }

        private async Task Call(Random random)
        {
            List<Task> pending = [];
            for (int i = 0; i < CallsEach; i++)
            {
                pending.Add(random.Next(3) == 0 ? Search(random.Next(Count)) : Get(random.Next(Count + 20)));
                int number = Interlocked.Increment(ref _calls);
                if (number == _disposeAt)
                    _index.Dispose();
                else if (number == _disposeAt + 1)
                    await _index.DisposeAsync();
                if (random.Next(4) == 0)
                    await Task.WhenAll(pending);
            }

            await Task.WhenAll(pending);
        }

        private async Task Search(int row)
        {
            try
            {
                SearchResult result = await _index.SearchAsync<byte>(
                    _test.Rows.AsMemory(row * _test.RowBytes, _test.RowBytes), 1,
                    new SearchOptions { Graph = new GraphSearch { ListSize = Count } });
                Assert.That(result[0].Score, Is.Zero, $"seed {_seed}, row {row}");
                Interlocked.Increment(ref _answers);
            }
            catch (ObjectDisposedException)
            {
                Interlocked.Increment(ref _refusals);
            }

            Interlocked.Increment(ref _ended);
        }

        private async Task Get(int row)
        {
            try
            {
                VectorRecord? record = await _index.GetAsync((ulong)row);
                bool isRight = row < Count ? record is { } found
                    && found.Bytes.Span.SequenceEqual(_test.Rows.AsSpan(row * _test.RowBytes, _test.RowBytes)) : record is null;
                Assert.That(isRight, Is.True, $"seed {_seed}, key {row}");
                Interlocked.Increment(ref _answers);
            }
            catch (ObjectDisposedException)
            {
                Interlocked.Increment(ref _refusals);
            }

            Interlocked.Increment(ref _ended);
        }
    }
}
