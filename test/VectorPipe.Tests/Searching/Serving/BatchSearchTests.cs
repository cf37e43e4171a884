using NUnit.Framework;
using VectorPipe.Searching.Serving;

namespace VectorPipe.Tests.Searching.Serving;

[FixtureLifeCycle(LifeCycle.InstancePerTestCase)]
public sealed class BatchSearchTests
{
    private static readonly SearchOverloadedException _refusal = new("Too many wait.");

    private readonly TaskCompletionSource<int> _first = new(), _second = new();
    private int _begun;

    [Test]
    public async Task A_row_that_is_refused_after_the_last_other_one_has_ended_begins_again()
    {
        Task<int[]> batch = Run(
            row => row == 0 ? _first.Task : Interlocked.Increment(ref _begun) == 1 ? _second.Task : Task.FromResult(row));
        _first.SetResult(0);
        Assert.That(batch.IsCompleted, Is.False);
        _second.SetException(_refusal);
        Assert.That(await batch.WaitAsync(HangBound.Patience), Is.EqualTo(new[] { 0, 1 }));
        Assert.That(_begun, Is.EqualTo(2));
    }

    [Test]
    public async Task A_row_that_is_refused_at_once_while_the_last_other_one_ends_begins_again()
    {
        Task<int[]> batch = Run(row =>
        {
            if (row == 0)
                return _first.Task;
            if (Interlocked.Increment(ref _begun) > 1)
                return Task.FromResult(row);
            _first.SetResult(0);
            throw _refusal;
        });
        Assert.That(await batch.WaitAsync(HangBound.Patience), Is.EqualTo(new[] { 0, 1 }));
    }

    [Test]
    public async Task A_row_that_is_refused_beside_another_waits_for_its_end()
    {
        Task<int[]> batch = Run(row =>
        {
            if (row == 0)
                return _first.Task;
            return Interlocked.Increment(ref _begun) == 1 ? Task.FromException<int>(_refusal) : Task.FromResult(row);
        });
        Assert.That(batch.IsCompleted, Is.False);
        _first.SetResult(0);
        Assert.That(await batch.WaitAsync(HangBound.Patience), Is.EqualTo(new[] { 0, 1 }));
    }

    [Test]
    public void A_batch_that_others_keep_out_is_refused([Values] bool isAtOnce)
    {
        Task<int[]> batch = Run(row => isAtOnce ? throw _refusal : Task.FromException<int>(_refusal), rows: 1);
        Assert.That(async () => await batch.WaitAsync(HangBound.Patience), Throws.TypeOf<SearchOverloadedException>());
    }

    [Test]
    public void A_row_that_is_refused_after_an_error_ends_the_batch_with_the_error()
    {
        Task<int[]> batch = Run(row => row == 0 ? _first.Task : _second.Task);
        _first.SetException(new InvalidDataException());
        _second.SetException(_refusal);
        Assert.That(async () => await batch.WaitAsync(HangBound.Patience), Throws.TypeOf<InvalidDataException>());
    }

    private static Task<int[]> Run(Func<int, Task<int>> search, int rows = 2) =>
        new BatchSearch<int>(rows, window: 2, row => new ValueTask<int>(search(row))).RunAsync();
}
