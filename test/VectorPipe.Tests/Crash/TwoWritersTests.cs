using NUnit.Framework;
using VectorPipe.Storage.Files;

namespace VectorPipe.Tests.Crash;

/// <summary>Two machines build into one directory, whose old index or a new one is whole at every moment.</summary>
/// <remarks>The file system's locks exclude writers only within a machine.</remarks>
[TestFixture(IndexKind.Graph)]
[TestFixture(IndexKind.Ivf)]
public sealed class TwoWritersTests(IndexKind kind)
{
    private ReplacedIndex _index = null!;

    [SetUp]
    public void BuildOldIndex() => _index = new ReplacedIndex(kind: kind);

    [TearDown]
    public void RemoveIndex() => _index.Dispose();

    /// <summary>The other build runs as a whole.</summary>
    /// <param name="every">It begins before one in this many operations of the first build.</param>
    [TestCase(8)]
    [TestCase(1, Category = "Heavy")]
    public void A_whole_build_of_the_other_before_any_operation_leaves_the_new_index(int every)
    {
        int operations = Count();
        int refused = 0, cases = 0;
        for (int k = every / 2; k < operations; k += every, cases++)
        {
            _index.Restore(_index.Old);
            Exception? other = null;
            var io = new HookedStorageIo(k, () => other = Build(new LyingLockStorageIo(excludesOwn: true)));
            Exception? first = Build(new LyingLockStorageIo(excludesOwn: true, io));
            string context =
                $"the other built before operation {k} of {operations}: {other?.Message ?? "success"}; then {first?.Message ?? "success"}";
            Assert.That(first is null || other is null, Is.True, $"one of them succeeds; {context}");
            Assert.That(_index.Examine(context), Is.EqualTo(IndexOutcome.New), context);
            refused += first is not null ? 1 : 0;
        }

        Assert.That(refused, Is.GreaterThan(cases / 2), "once it has the lock, a writer finds that another one has taken it");
    }

    /// <summary>The other build dies at one of five operations.</summary>
    /// <param name="every">Each operation of the first build is tried with one in this many of the deaths, in turn.</param>
    /// <param name="step">One in this many operations is tried. It shares no factor with the number of deaths.</param>
    [TestCase(5, 6)]
    [TestCase(1, 1, Category = "Heavy")]
    public void The_beginning_of_another_build_before_any_operation_leaves_the_old_index_or_the_new_one(int every, int step)
    {
        int operations = Count();
        int[] deaths = [1, 5, 6, 9, 14];
        for (int k = 0; k < operations; k += step)
        {
            for (int death = k % every; death < deaths.Length; death += every)
            {
                int dies = deaths[death];
                _index.Restore(_index.Old);
                var io = new HookedStorageIo(
                    k, () => Build(new LyingLockStorageIo(excludesOwn: true, new FaultyStorageIo(StorageFault.Death, dies))));
                Exception? first = Build(new LyingLockStorageIo(excludesOwn: true, io));
                string context =
                    $"the other writer died at operation {dies}, before operation {k} of {operations}; then {first?.Message ?? "success"}";
                Assert.That(_index.Examine(context), Is.EqualTo(first is null ? IndexOutcome.New : IndexOutcome.Old), context);
            }
        }
    }

    private Exception? Build(IStorageIo io)
    {
        try
        {
            _index.Build(io);
            return null;
        }
        catch (Exception e) when (e is ProcessDeathException or VectorPipeException)
        {
            return e;
        }
    }

    private int Count()
    {
        var io = new HookedStorageIo(int.MaxValue, static () => { });
        Assert.That(Build(new LyingLockStorageIo(excludesOwn: true, io)), Is.Null);
        return io.Operations;
    }
}
