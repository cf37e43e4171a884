namespace VectorPipe.Server.Dashboard.Answers;

/// <summary>What a search found, beside the true answer.</summary>
/// <param name="TargetRecall">The recall that it aimed at.</param>
/// <param name="Hits">Nearest first.</param>
/// <param name="Truth">The true answer: all vectors were compared.</param>
/// <param name="Recall">The share of the true answer that was found; null if the exact search was ended early.</param>
internal sealed record SearchAnswer(
    float TargetRecall, IReadOnlyList<HitFacts> Hits, IReadOnlyList<HitFacts> Truth, double? Recall, SearchCost Cost, SearchCost TruthCost);
