namespace VectorPipe.Tests.Faults;

/// <summary>The outcomes of the schedules of a campaign.</summary>
internal sealed class ScheduleTally
{
    public int Answers { get; private set; }

    public int Errors { get; private set; }

    /// <summary>Completions that came twice and were dropped.</summary>
    public long Strays { get; set; }

    public void Count(Exception? error)
    {
        if (error is null)
            Answers++;
        else
            Errors++;
    }

    public void Add(int answers, int errors, long strays)
    {
        Answers += answers;
        Errors += errors;
        Strays += strays;
    }

    public override string ToString() => $"{Answers} answers, {Errors} errors, {Strays} completions that came twice";
}
